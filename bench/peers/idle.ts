/** Does nothing: what its event loop suffers is the machine's doing. */
console.log("ready");
setInterval(() => undefined, 60_000);
