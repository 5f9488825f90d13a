@echo off
rem Starts the exporter with its own Node.js, from any folder.
setlocal
set "NODE_ENV=production"
set "PRTG_EXPORTER_REVISION=@REVISION@"
rem Same as bin/node-settings.js. Settings of the user win.
if not defined UV_THREADPOOL_SIZE set "UV_THREADPOOL_SIZE=64"
set "NODE_OPTIONS=--max-semi-space-size=4 --disable-sigusr1 %NODE_OPTIONS%"
"%~dp0runtime\node.exe" --heap-growing-percent=50 "%~dp0dist\main.js" %*
exit /b %errorlevel%
