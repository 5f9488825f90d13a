<#
.SYNOPSIS
Installs or removes the scheduled task that runs prtg-exporter from the start of Windows.
.DESCRIPTION
Run it in PowerShell as administrator, from the final folder of the program.

The task runs as LOCAL SERVICE, an account with few rights on this machine and no rights on others. Windows starts the
task at boot and restarts it after a failure, without a time limit. The log is prtg-exporter.log beside the
configuration. The log of the previous run is prtg-exporter.old.log.
.PARAMETER Config
Configuration file. If it is missing, the script creates a template.
.PARAMETER Uninstall
Stops and removes the task. Keeps configuration, key and log.
.EXAMPLE
powershell -ExecutionPolicy Bypass -File .\prtg-exporter-task.ps1
.EXAMPLE
powershell -ExecutionPolicy Bypass -File .\prtg-exporter-task.ps1 -Uninstall
#>
[CmdletBinding(SupportsShouldProcess)]
param(
    [string] $Config = (Join-Path $env:ProgramData 'prtg-exporter\prtg-exporter.yaml'),
    [switch] $Uninstall
)

Set-StrictMode -Version 2
$ErrorActionPreference = 'Stop'
$TaskName = 'prtg-exporter'
# By SID, because Windows translates account names: LOCAL SERVICE, SYSTEM, Administrators.
$LocalService = 'S-1-5-19'
$Readers = '*S-1-5-19:(OI)(CI)M', '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F'

function Test-Administrator {
    $identity = [Security.Principal.WindowsPrincipal] [Security.Principal.WindowsIdentity]::GetCurrent()
    $identity.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
}

function New-Configuration([string] $Path) {
    $folder = Split-Path -Parent $Path
    New-Item -ItemType Directory -Force -Path $folder | Out-Null
    # The folder contains the key. Other accounts must not read it.
    & icacls.exe $folder /inheritance:r /grant:r $Readers | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "icacls.exe ended with $LASTEXITCODE" }
    Set-Content -Encoding ASCII -Path $Path -Value @(
        '# All keys: config\prtg-exporter.example.yaml in the folder of the program'
        'servers:'
        '  - name: prtg'
        '    # Port of API v2, not of the web interface.'
        '    url: https://prtg.example.com:1616'
        '    auth:'
        '      # File beside this one. Contains only the key.'
        '      api_key_file: api-key.txt'
    )
}

if (-not (Test-Administrator)) { throw 'Start PowerShell as administrator.' }

$existing = Get-ScheduledTask -TaskName $TaskName -ErrorAction SilentlyContinue
if ($Uninstall) {
    if ($null -eq $existing) { Write-Output "The task $TaskName does not exist."; return }
    if ($PSCmdlet.ShouldProcess($TaskName, 'stop and remove the task')) {
        Stop-ScheduledTask -TaskName $TaskName
        Unregister-ScheduledTask -TaskName $TaskName -Confirm:$false
        Write-Output "Removed the task. Kept $(Split-Path -Parent $Config)."
    }
    return
}

if (-not (Test-Path $Config)) {
    if ($PSCmdlet.ShouldProcess($Config, 'create the configuration')) { New-Configuration $Config }
    Write-Output "Run .\prtg-exporter.cmd init --force --out `"$Config`", then run this script again."
    return
}

$launcher = Join-Path $PSScriptRoot 'prtg-exporter.cmd'
& $launcher serve '--config.check' '--config.file' $Config
if ($LASTEXITCODE -ne 0) { throw "$Config is not valid. See the messages above." }

$log = Join-Path (Split-Path -Parent $Config) 'prtg-exporter.log'
$old = Join-Path (Split-Path -Parent $Config) 'prtg-exporter.old.log'
# Windows has no SIGHUP, so the exporter checks the file every 30 s. cmd.exe removes the outer quotes.
$command = "(if exist `"$log`" move /y `"$log`" `"$old`" >nul) & `"$launcher`" serve --config.file `"$Config`" --config.auto-reload-interval 30s 2>>`"$log`""
$action = New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\cmd.exe" -Argument "/d /s /c `"$command`""
$trigger = New-ScheduledTaskTrigger -AtStartup
$principal = New-ScheduledTaskPrincipal -UserId $LocalService -LogonType ServiceAccount -RunLevel Limited
# Normal priority for programs is 4. The default for tasks, 7, also slows down disk access.
$settings = New-ScheduledTaskSettingsSet -StartWhenAvailable -AllowStartIfOnBatteries -DontStopIfGoingOnBatteries `
    -ExecutionTimeLimit ([TimeSpan]::Zero) -RestartCount 999 -RestartInterval (New-TimeSpan -Minutes 1) `
    -MultipleInstances IgnoreNew -Priority 4
if ($PSCmdlet.ShouldProcess($TaskName, 'register and start the task')) {
    if ($null -ne $existing) { Stop-ScheduledTask -TaskName $TaskName }
    Register-ScheduledTask -TaskName $TaskName -Action $action -Trigger $trigger -Principal $principal `
        -Settings $settings -Description 'PRTG Network Monitor for Prometheus and OpenTelemetry' -Force | Out-Null
    Start-ScheduledTask -TaskName $TaskName
    Write-Output 'Running: http://localhost:9705'
}
