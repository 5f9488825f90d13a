import { below, uniform } from "../noise.ts";

/** Names that break whatever builds text from names. Every one of them can be typed into the product. */
const HOSTILE: readonly [(name: string) => string, ...((name: string) => string)[]] = [
  (name) => `"${name}"`,
  (name) => `${name} D:\\`,
  (name) => `${name}\nsecond line`,
  (name) => `🖨️ ${name} 👩‍🚀🔥`,
  (name) => `${name} خادم الشبكة שרת`,
  (name) => `\u202e${name}\u202c`,
  (name) => `</script><script>alert("${name}")</script>`,
  (name) => `${name}{path="\\\\srv\\share",le="+Inf"} 1 # HELP`,
  (name) => `${name} ${"very long ".repeat(90)}end`,
  (name) => `  ${name}\t`,
  (name) => `${name}'; DROP TABLE sensors; --`,
  (name) => `a/b//${name}/`,
  (name) => `Cafe\u0301 ${name} Café`,
  (name) => `\${${name}} %s %00 {{ $labels }} &amp; <b>`,
];

const HOSTILE_SHARE = 0.011;

/** What a node or a channel with a plain name is called in the end. */
export type Naming = (name: string, salt: number) => string;

/** As it is. */
export const plainNaming: Naming = (name) => name;

/** The name, or for about one in a hundred a hostile form of it. */
export function hostileNaming(name: string, salt: number): string {
  if (uniform(salt, 0x4057) >= HOSTILE_SHARE) return name;
  return (HOSTILE[below(salt, 0x71e, HOSTILE.length)] ?? HOSTILE[0])(name);
}

/** `core-sw-3`, and for one device in forty a copy of another's name, as happens after cloning. */
export function deviceName(role: string, position: number, salt: number): string {
  const number = uniform(salt, 0xc10e) < 1 / 40 ? 1 : position + 1;
  return `${role}-${number}`;
}

/** An address of the private range, a host name, or for a few an IPv6 address. */
export function hostName(device: string, code: string, site: number, position: number, salt: number): string {
  const draw = uniform(salt, 0x1b);
  const [group, number] = [Math.floor(position / 250) % 250, (position % 250) + 2];
  if (draw < 0.62) return `10.${site % 250}.${group}.${number}`;
  if (draw < 0.66) return `fd00:${(site + 16).toString(16)}:${group.toString(16)}::${number.toString(16)}`;
  return `${device.replaceAll(/[^a-z0-9-]+/gi, "-").toLowerCase()}-${position + 1}.${code}.example.net`;
}
