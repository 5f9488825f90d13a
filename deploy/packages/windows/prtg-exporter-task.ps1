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
$Administrators = 'S-1-5-32-544'
$Trusted = $LocalService, 'S-1-5-18', $Administrators, [Security.Principal.WindowsIdentity]::GetCurrent().User.Value
# Owner Administrators. Full access for SYSTEM and Administrators, LOCAL SERVICE may modify, nothing inherited.
$Rights = 'O:BAG:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;LS)'
$DataFolder = Join-Path $env:ProgramData 'prtg-exporter'

function Test-Administrator {
    $identity = [Security.Principal.WindowsPrincipal] [Security.Principal.WindowsIdentity]::GetCurrent()
    $identity.IsInRole([Security.Principal.WindowsBuiltInRole]::Administrator)
}

function Invoke-Icacls {
    & icacls.exe @args | Out-Null
    if ($LASTEXITCODE -ne 0) { throw "icacls.exe $args ended with $LASTEXITCODE" }
}

# The folder contains the key. Each user can create folders in ProgramData, so owner and rights of an existing one are set anew.
function Protect-Folder([string] $Folder) {
    New-Item -ItemType Directory -Force -Path $Folder | Out-Null
    if ((Get-Item -Force -LiteralPath $Folder).Attributes -band [IO.FileAttributes]::ReparsePoint) {
        throw "$Folder is a link. Delete it and run this script again."
    }
    # An owner could change the rights back. Administrators can always take ownership.
    Invoke-Icacls $Folder /setowner "*$Administrators" /q
    $acl = New-Object Security.AccessControl.DirectorySecurity
    $acl.SetSecurityDescriptorSddlForm($Rights)
    Set-Acl -LiteralPath $Folder -AclObject $acl
    foreach ($item in @(Get-ChildItem -Force -LiteralPath $Folder)) {
        $owner = (Get-Acl -LiteralPath $item.FullName).GetOwner([Security.Principal.SecurityIdentifier]).Value
        if (($Trusted -notcontains $owner) -or ($item.Attributes -band [IO.FileAttributes]::ReparsePoint)) {
            throw "$($item.FullName) is a link or belongs to $owner. Check it, delete it, and run this script again."
        }
        # Only inherited rights, and no owner who could change them.
        Invoke-Icacls $item.FullName /setowner "*$Administrators" /q
        Invoke-Icacls $item.FullName /reset /q
    }
}

function New-Configuration([string] $Path) {
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

$isNew = -not (Test-Path $Config)
$folder = Split-Path -Parent $Config
# A folder elsewhere keeps the rights that the administrator gave to it, unless the script creates the configuration there.
if ($isNew -or $folder -eq $DataFolder) {
    if ($PSCmdlet.ShouldProcess($folder, 'set owner and rights')) { Protect-Folder $folder }
}
if ($isNew) {
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
