/** Its event-loop delays come from the machine. */
console.log("ready");
setInterval(() => undefined, 60_000);
