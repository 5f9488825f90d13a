@echo off
rem Starts the exporter with the Node.js that came with it, wherever this folder is.
setlocal
set "NODE_ENV=production"
set "PRTG_EXPORTER_REVISION=@REVISION@"
rem The same as bin/node-settings.js: what the user set wins.
if not defined UV_THREADPOOL_SIZE set "UV_THREADPOOL_SIZE=64"
set "NODE_OPTIONS=--max-semi-space-size=8 --disable-sigusr1 %NODE_OPTIONS%"
"%~dp0runtime\node.exe" "%~dp0dist\main.js" %*
exit /b %errorlevel%
