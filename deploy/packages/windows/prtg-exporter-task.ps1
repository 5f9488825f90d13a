<#
.SYNOPSIS
Has Windows run prtg-exporter from its start on, as a scheduled task, or ends that.
.DESCRIPTION
Run it in a PowerShell that was started as administrator, from the folder that is to stay the program's.

The task runs as the built-in account LOCAL SERVICE, which has few rights on this machine and none on others. Windows
starts it with the machine and again when it fails; it has no end. What the exporter logs is in prtg-exporter.log beside
the configuration, and that of the run before in prtg-exporter.old.log.
.PARAMETER Config
The configuration file. It is made, with what has to be filled in, where it is missing.
.PARAMETER Uninstall
Ends the task and removes it. Configuration, key and log stay.
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
# By number, as the names of accounts are translated: LOCAL SERVICE, SYSTEM, Administrators.
$LocalService = 'S-1-5-19'
$Readers = '*S-1-5-19:(OI)(CI)M', '*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F'

function Test-Administrator {
    $identity = [Security.Principal.WindowsPrincipal] [Security.Principal.WindowsIdentity]::GetCurrent()
    $identity.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
}

function New-Configuration([string] $Path) {
    $folder = Split-Path -Parent $Path
    New-Item -ItemType Directory -Force -Path $folder | Out-Null
    # The key lies there: nobody else reads it.
    & icacls.exe $folder /inheritance:r /grant:r $Readers | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "icacls.exe ended with $LASTEXITCODE" }
    Set-Content -Encoding ASCII -Path $Path -Value @(
        '# Every key: config\prtg-exporter.example.yaml in the folder of the program'
        'servers:'
        '  - name: prtg'
        '    # The port of API v2, not that of the classic web interface.'
        '    url: https://prtg.example.com:1616'
        '    auth:'
        '      # A file beside this one with nothing but the key.'
        '      api_key_file: api-key.txt'
    )
}

if (-not (Test-Administrator)) { throw 'Start PowerShell as administrator.' }

$existing = Get-ScheduledTask -TaskName $TaskName -ErrorAction SilentlyContinue
if ($Uninstall) {
    if ($null -eq $existing) { Write-Output "There is no task $TaskName."; return }
    if ($PSCmdlet.ShouldProcess($TaskName, 'stop and remove the task')) {
        Stop-ScheduledTask -TaskName $TaskName
        Unregister-ScheduledTask -TaskName $TaskName -Confirm:$false
        Write-Output "Removed. $(Split-Path -Parent $Config) is left."
    }
    return
}

if (-not (Test-Path $Config)) {
    if ($PSCmdlet.ShouldProcess($Config, 'make the configuration')) { New-Configuration $Config }
    Write-Output "Fill in $Config, put the key beside it, then run this again."
    return
}

$launcher = Join-Path $PSScriptRoot 'prtg-exporter.cmd'
& $launcher serve '--config.check' '--config.file' $Config
if ($LASTEXITCODE -ne 0) { throw "$Config is not valid; what is wrong stands above." }

$log = Join-Path (Split-Path -Parent $Config) 'prtg-exporter.log'
$old = Join-Path (Split-Path -Parent $Config) 'prtg-exporter.old.log'
# Windows has no signal to read the configuration again by. cmd.exe takes the outermost quotes away.
$command = "(if exist `"$log`" move /y `"$log`" `"$old`" >nul) & `"$launcher`" serve --config.file `"$Config`" --config.auto-reload-interval 30s 2>>`"$log`""
$action = New-ScheduledTaskAction -Execute "$env:SystemRoot\System32\cmd.exe" -Argument "/d /s /c `"$command`""
$trigger = New-ScheduledTaskTrigger -AtStartup
$principal = New-ScheduledTaskPrincipal -UserId $LocalService -LogonType ServiceAccount -RunLevel Limited
# Priority 4: that of programs; what tasks have, 7, also slows the disk down.
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
