-- What wixl 0.101 lacks or does differently in other versions. scripts/package/installer.ts runs each statement, which is one line.

-- Which versions to remove (minimum and maximum included) and which to leave alone (minimum excluded).
-- 0.2.0-rc.1 and 0.2.0 are both 0.2.0 for Windows. They replace each other.
INSERT INTO `Upgrade` (`UpgradeCode`, `VersionMin`, `VersionMax`, `Attributes`, `ActionProperty`) VALUES ('{@UPGRADE_CODE@}', '0.0.0', '@VERSION@', 768, 'OLDER_VERSION')
INSERT INTO `Upgrade` (`UpgradeCode`, `VersionMin`, `Attributes`, `ActionProperty`) VALUES ('{@UPGRADE_CODE@}', '@VERSION@', 2, 'NEWER_VERSION')

-- Full access for SYSTEM and administrators, read and write for LOCAL SERVICE. Nothing inherited: the folder has the API key.
CREATE TABLE `MsiLockPermissionsEx` (`MsiLockPermissionsEx` CHAR(72) NOT NULL, `LockObject` CHAR(72) NOT NULL, `Table` CHAR(32) NOT NULL, `SDDLText` CHAR(0) NOT NULL, `Condition` CHAR(255) PRIMARY KEY `MsiLockPermissionsEx`)
INSERT INTO `MsiLockPermissionsEx` (`MsiLockPermissionsEx`, `LockObject`, `Table`, `SDDLText`) VALUES ('Data', 'DataFolder', 'CreateFolder', 'O:BAG:BAD:PAI(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;0x1301bf;;;LS)')

-- Of the machine (*), set at installation (=) and removed with the program (-).
CREATE TABLE `Environment` (`Environment` CHAR(72) NOT NULL, `Name` CHAR(255) NOT NULL LOCALIZABLE, `Value` CHAR(255) LOCALIZABLE, `Component_` CHAR(72) NOT NULL PRIMARY KEY `Environment`)
INSERT INTO `Environment` (`Environment`, `Name`, `Value`, `Component_`) VALUES ('Path', '=-*PATH', '[~];[ProgramFolder]', 'Path')

-- A rollback (256) of a deferred (1024) program of a property (50), as SYSTEM (2048), without its exit code (64). A failed removal,
-- also of the old version in an upgrade, starts the exporter again. Rollbacks run in reverse order, so this one is the last.
INSERT INTO `CustomAction` (`Action`, `Type`, `Source`, `Target`) VALUES ('RestartTask', 3442, 'Schtasks', '/Run /TN prtg-exporter')
INSERT INTO `InstallExecuteSequence` (`Action`, `Condition`, `Sequence`) VALUES ('RestartTask', 'Installed', 1515)
