@echo off
rem Starts the exporter with the Node.js that came with it, wherever this folder is.
setlocal
set "NODE_ENV=production"
set "PRTG_EXPORTER_REVISION=@REVISION@"
"%~dp0runtime\node.exe" "%~dp0dist\main.js" %*
exit /b %errorlevel%
