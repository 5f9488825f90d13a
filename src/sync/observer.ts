import type { Resolution } from "./measurement.ts";

/** What the sync reports about its work, for metrics. Calls must be cheap and must not throw. Points are values. */
export interface SyncObserver {
  /** The receiver acknowledged them. */
  delivered(resolution: Resolution, points: number): void;
  /** The receiver refused them for good. */
  rejected(resolution: Resolution, points: number): void;
  /** A delivery failed and will be tried again. */
  deliveryFailed(): void;
  /** They were dropped for want of room; they will be read again, unless the series are never read. */
  dropped(points: number): void;
  /** Watermarks were written, or could not be. */
  watermarksSaved(worked: boolean): void;
}
