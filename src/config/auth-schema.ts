import { z } from "zod";
import { filePath, optional, secret, text } from "./fields.ts";
import type { Secret } from "./secrets.ts";

/** `key`: the key below `auth`. */
export type SecretLocation =
  | { readonly kind: "file"; readonly key: string; readonly path: string }
  | { readonly kind: "value"; readonly key: string; readonly value: Secret };

/** Credentials before files are read. */
export type AuthSettings =
  | { readonly kind: "api_key"; readonly secret: SecretLocation }
  | { readonly kind: "login"; readonly username: string; readonly secret: SecretLocation };

const AUTH_FORMS = "exactly one of api_key_file, api_key, username with password_file, or username with password";

const authKeys = z.strictObject(
  {
    api_key_file: optional(
      filePath(),
      "File with the API key. If the server refuses the key, the exporter reads the file again.",
      "/run/secrets/prtg-api-key",
    ),
    api_key: optional(
      secret(),
      "Reference to an environment variable with the API key. The exporter refuses a key in the file.",
      "${PRTG_API_KEY}",
    ),
    username: optional(
      text("the name of a user"),
      "User for the login. The exporter renews the session while it runs, and ends it when it stops.",
      "exporter",
    ),
    password_file: optional(
      filePath(),
      "File with the password of `username`. The exporter reads it at each login.",
      "/run/secrets/prtg-password",
    ),
    password: optional(
      secret(),
      "Reference to an environment variable with the password of `username`. The exporter refuses a password in the file.",
      "${PRTG_PASSWORD}",
    ),
  },
  { error: ({ code }) => (code === "invalid_type" ? `a map with ${AUTH_FORMS}` : undefined) },
);

export const authSchema = authKeys
  .transform((input, context): AuthSettings => {
    const keys = secretLocations("api_key", input.api_key, input.api_key_file);
    const passwords = secretLocations("password", input.password, input.password_file);
    const { username } = input;
    const [location] = [...keys, ...passwords];
    if (location !== undefined && keys.length + passwords.length === 1) {
      if (keys.length === 1 && username === undefined) return { kind: "api_key", secret: location };
      if (keys.length === 0 && username !== undefined) return { kind: "login", username, secret: location };
    }
    // Another problem already explains this one.
    if (context.issues.length === 0) context.addIssue({ code: "custom", message: AUTH_FORMS, input });
    return z.NEVER;
  })
  .meta({
    description: `Credentials: ${AUTH_FORMS}.`,
    oneOf: [
      { required: ["api_key_file"], maxProperties: 1 },
      { required: ["api_key"], maxProperties: 1 },
      { required: ["username", "password_file"], maxProperties: 2 },
      { required: ["username", "password"], maxProperties: 2 },
    ],
  });

export function secretLocations(key: string, value: Secret | undefined, path: string | undefined): SecretLocation[] {
  const locations: SecretLocation[] = [];
  if (path !== undefined) locations.push({ kind: "file", key: `${key}_file`, path });
  if (value !== undefined) locations.push({ kind: "value", key, value });
  return locations;
}
