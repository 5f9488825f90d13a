/** Peer of the scrape bench: the same bytes, ready in memory, served by bare node:http. Reads them from two files. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { reportPort } from "./report-port.ts";

const [identityFile = "", gzipFile = ""] = process.argv.slice(2);
const identity = readFileSync(identityFile);
const gzip = readFileSync(gzipFile);

reportPort(
  createServer((request, response) => {
    const body = request.headers["accept-encoding"] === "gzip" ? gzip : identity;
    response.setHeader("Content-Length", body.length);
    response.end(body);
  }),
);
