@echo off
rem The scheduled task of the installer runs this file. Its arguments are further flags of serve.
setlocal
set "DATA=%ProgramData%\prtg-exporter"
if not exist "%DATA%\prtg-exporter.yaml" (
  echo Create %DATA%\prtg-exporter.yaml with prtg-exporter init, then run the task prtg-exporter.>>"%DATA%\prtg-exporter.log"
  exit /b 0
)
if exist "%DATA%\prtg-exporter.log" move /y "%DATA%\prtg-exporter.log" "%DATA%\prtg-exporter.old.log" >nul
rem Windows has no SIGHUP, so the exporter checks the file every 30 s.
call "%~dp0prtg-exporter.cmd" serve --config.file "%DATA%\prtg-exporter.yaml" --config.auto-reload-interval 30s %* 2>>"%DATA%\prtg-exporter.log"
exit /b %errorlevel%
