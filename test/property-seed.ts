import fc from "fast-check";

// fast-check prints it with a counterexample. Set PRTG_EXPORTER_SEED to repeat a run.
fc.configureGlobal({ seed: Number(process.env.PRTG_EXPORTER_SEED) });
