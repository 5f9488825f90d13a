import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { dump } from "js-yaml";
import { type Build, HOMEPAGE, manifest } from "./build.ts";
import { sha256Of } from "./digest.ts";
import { type Installer, UPGRADE_CODE, windowsVersion } from "./installer.ts";

/** Name in the repository of packages, microsoft/winget-pkgs. */
export const PACKAGE = "prtg-exporter.prtg-exporter";
const PUBLISHER = "The prtg-exporter authors";
const LOCALE = "en-US";
/** Version of the schema. */
const SCHEMA = "1.12.0";

type ManifestType = "version" | "installer" | "defaultLocale";

/** WinGet wants three files. @returns their paths */
export function writeWingetManifests(
  build: Pick<Build, "version" | "time" | "out">,
  { file, productCode }: Installer,
): string[] {
  const name = path.basename(file);
  const sha256 = sha256Of(readFileSync(file));
  const manifests = wingetManifests(build, { name, sha256, productCode });
  return Object.entries(manifests).map(([manifestFile, text]) => {
    const target = path.join(build.out, manifestFile);
    writeFileSync(target, text);
    return target;
  });
}

/** Texts by name of file. @param installer the file in the release, with lower case SHA-256 */
export function wingetManifests(
  { version, time }: Pick<Build, "version" | "time">,
  installer: { readonly name: string; readonly sha256: string; readonly productCode: string },
): Readonly<Record<string, string>> {
  const write = (type: ManifestType, content: object) => {
    const head = `# yaml-language-server: $schema=https://aka.ms/winget-manifest.${type}.${SCHEMA}.schema.json\n`;
    const whole = { PackageIdentifier: PACKAGE, PackageVersion: version, ...content };
    return head + dump({ ...whole, ManifestType: type, ManifestVersion: SCHEMA }, { lineWidth: -1 });
  };
  return {
    [`${PACKAGE}.yaml`]: write("version", { DefaultLocale: LOCALE }),
    [`${PACKAGE}.installer.yaml`]: write("installer", installerManifest(version, time, installer)),
    [`${PACKAGE}.locale.${LOCALE}.yaml`]: write("defaultLocale", localeManifest(version)),
  };
}

function installerManifest(
  version: string,
  time: Date,
  { name, sha256, productCode }: { name: string; sha256: string; productCode: string },
) {
  const shown = windowsVersion(version);
  return {
    Platform: ["Windows.Desktop"],
    MinimumOSVersion: "10.0.14393.0",
    InstallerType: "msi",
    Scope: "machine",
    InstallModes: ["interactive", "silent", "silentWithProgress"],
    UpgradeBehavior: "install",
    Commands: [manifest.name],
    ReleaseDate: time.toISOString().slice(0, 10),
    ProductCode: `{${productCode}}`,
    AppsAndFeaturesEntries: [
      {
        DisplayName: manifest.name,
        Publisher: PUBLISHER,
        // Only if it is another one.
        ...(shown === version ? {} : { DisplayVersion: shown }),
        ProductCode: `{${productCode}}`,
        UpgradeCode: `{${UPGRADE_CODE}}`,
      },
    ],
    Installers: [
      {
        Architecture: "x64",
        InstallerUrl: `${HOMEPAGE}/releases/download/v${version}/${name}`,
        InstallerSha256: sha256.toUpperCase(),
      },
    ],
  };
}

function localeManifest(version: string) {
  return {
    PackageLocale: LOCALE,
    Publisher: PUBLISHER,
    PublisherUrl: HOMEPAGE,
    PublisherSupportUrl: `${HOMEPAGE}/issues`,
    PackageName: manifest.name,
    PackageUrl: HOMEPAGE,
    License: manifest.license,
    LicenseUrl: `${HOMEPAGE}/blob/v${version}/LICENSE`,
    ShortDescription: "PRTG Network Monitor for Prometheus and OpenTelemetry",
    Description: manifest.description,
    Moniker: manifest.name,
    Tags: ["metrics", "monitoring", "opentelemetry", "prometheus", "prtg"],
    ReleaseNotesUrl: `${HOMEPAGE}/releases/tag/v${version}`,
    InstallationNotes: "Create the configuration with prtg-exporter init, then run the scheduled task prtg-exporter.",
    Documentations: [
      { DocumentLabel: "Getting started", DocumentUrl: `${HOMEPAGE}/blob/v${version}/docs/getting-started.md#windows` },
    ],
  };
}
