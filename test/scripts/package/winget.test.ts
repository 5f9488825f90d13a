import { load } from "js-yaml";
import { expect, test } from "vitest";
import { z } from "zod";
import { wingetManifests } from "../../../scripts/package/winget.ts";

const TIME = new Date("2026-11-22T10:00:00Z");
const INSTALLER = {
  name: "prtg-exporter-1.2.3-windows-x64.msi",
  sha256: "0123456789abcdef".repeat(4),
  productCode: "36106320-BE1C-5C90-8338-4A521CBC264F",
};

/** Strict: a misspelt key is an error. Limits are those of the JSON schemas 1.12.0 in microsoft/winget-cli, schemas/JSON/manifests. */
const url = z
  .string()
  .max(2048)
  .regex(/^https?:\/\/.+$/);
const version = z
  .string()
  .max(128)
  .regex(/^[^\\/:*?"<>|]+$/);
const code = z.string().regex(/^\{[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}$/);
const tag = z.string().min(1).max(40);
const common = {
  PackageIdentifier: z
    .string()
    .max(128)
    .regex(/^[^.\s\\/:*?"<>|]{1,32}(\.[^.\s\\/:*?"<>|]{1,32}){1,7}$/),
  PackageVersion: version,
  ManifestVersion: z.literal("1.12.0"),
};
const SHAPES = {
  version: z.strictObject({ ...common, DefaultLocale: z.literal("en-US"), ManifestType: z.literal("version") }),
  installer: z.strictObject({
    ...common,
    Platform: z.array(z.enum(["Windows.Desktop", "Windows.Universal"])).max(2),
    MinimumOSVersion: z.string().regex(/^\d{1,5}(\.\d{1,5}){0,3}$/),
    InstallerType: z.literal("msi"),
    Scope: z.enum(["user", "machine"]),
    InstallModes: z.array(z.enum(["interactive", "silent", "silentWithProgress"])).max(3),
    UpgradeBehavior: z.enum(["install", "uninstallPrevious", "deny"]),
    Commands: z.array(tag).max(16),
    ReleaseDate: z.iso.date(),
    ProductCode: code,
    AppsAndFeaturesEntries: z.array(
      z.strictObject({
        DisplayName: z.string().min(1).max(256),
        Publisher: z.string().min(1).max(256),
        DisplayVersion: version.optional(),
        ProductCode: code,
        UpgradeCode: code,
      }),
    ),
    Installers: z
      .array(
        z.strictObject({
          Architecture: z.enum(["x86", "x64", "arm", "arm64", "neutral"]),
          InstallerUrl: url,
          InstallerSha256: z.string().regex(/^[A-F0-9]{64}$/),
        }),
      )
      .min(1),
    ManifestType: z.literal("installer"),
  }),
  "locale.en-US": z.strictObject({
    ...common,
    PackageLocale: z.literal("en-US"),
    Publisher: z.string().min(2).max(256),
    PublisherUrl: url,
    PublisherSupportUrl: url,
    PackageName: z.string().min(2).max(256),
    PackageUrl: url,
    License: z.string().min(3).max(512),
    LicenseUrl: url,
    ShortDescription: z.string().min(3).max(256),
    Description: z.string().min(3).max(10_000),
    Moniker: tag,
    Tags: z.array(tag).max(16),
    ReleaseNotesUrl: url,
    InstallationNotes: z.string().min(1).max(10_000),
    Documentations: z.array(z.strictObject({ DocumentLabel: z.string().min(1).max(100), DocumentUrl: url })),
    ManifestType: z.literal("defaultLocale"),
  }),
};

function parsed(of: string) {
  const manifests = wingetManifests({ version: of, time: TIME }, INSTALLER);
  return Object.fromEntries(Object.entries(manifests).map(([name, text]) => [name, load(text)]));
}

test("has the three files of a package, in the shape of the schema", () => {
  const manifests = parsed("1.2.3");
  expect(Object.keys(manifests)).toEqual([
    "prtg-exporter.prtg-exporter.yaml",
    "prtg-exporter.prtg-exporter.installer.yaml",
    "prtg-exporter.prtg-exporter.locale.en-US.yaml",
  ]);
  expect(SHAPES.version.safeParse(manifests["prtg-exporter.prtg-exporter.yaml"]).error?.issues).toBeUndefined();
  expect(
    SHAPES.installer.safeParse(manifests["prtg-exporter.prtg-exporter.installer.yaml"]).error?.issues,
  ).toBeUndefined();
  const locale = SHAPES["locale.en-US"].safeParse(manifests["prtg-exporter.prtg-exporter.locale.en-US.yaml"]);
  expect(locale.error?.issues).toBeUndefined();
});

test("points to the installer in the release of this version", () => {
  expect(parsed("1.2.3")["prtg-exporter.prtg-exporter.installer.yaml"]).toMatchObject({
    PackageVersion: "1.2.3",
    ReleaseDate: "2026-11-22",
    ProductCode: `{${INSTALLER.productCode}}`,
    Installers: [
      {
        InstallerUrl: `https://github.com/prtg-exporter/prtg-exporter/releases/download/v1.2.3/${INSTALLER.name}`,
        InstallerSha256: INSTALLER.sha256.toUpperCase(),
      },
    ],
  });
});

test.each([
  ["1.2.3", undefined],
  ["1.2.3-rc.1", "1.2.3"],
])("Windows shows version %s as %s, if that is another one", (of, shown) => {
  const { AppsAndFeaturesEntries } = SHAPES.installer.parse(parsed(of)["prtg-exporter.prtg-exporter.installer.yaml"]);
  expect(AppsAndFeaturesEntries[0]?.DisplayVersion).toBe(shown);
});
