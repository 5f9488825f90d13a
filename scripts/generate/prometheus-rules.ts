import { z } from "zod";

/** The parts of a rule file of Prometheus that ours use. */
export const ruleFile = z.object({
  groups: z.array(
    z.object({
      name: z.string(),
      rules: z.array(
        z.object({
          record: z.string().optional(),
          alert: z.string().optional(),
          expr: z.string(),
          for: z.string().optional(),
          keep_firing_for: z.string().optional(),
          labels: z.record(z.string(), z.string()).default({}),
          annotations: z.record(z.string(), z.string()).default({}),
        }),
      ),
    }),
  ),
});
export type PrometheusRule = z.infer<typeof ruleFile>["groups"][number]["rules"][number];
