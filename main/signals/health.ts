import { z } from 'zod';

/** A word for each thing that has to answer for the kiosk to be called healthy. */
export const HealthChecks = z.object({
  window: z
    .enum(['answering', 'starting', 'silent'])
    .describe("The kiosk window's heartbeat; `answering` is healthy."),
  records: z.enum(['answering', 'starting', 'silent']).describe('The books; `answering` is healthy.'),
  video: z
    .enum(['advancing', 'none', 'stalled'])
    .describe('Frames of the visible video; only `stalled` is unhealthy, `none` is an image or a card.'),
});
export type HealthChecks = z.infer<typeof HealthChecks>;

/** Body of `GET /healthz`. */
export const Health = z.object({ status: z.enum(['ok', 'failing']), checks: HealthChecks });
export type Health = z.infer<typeof Health>;

/** Healthy while the kiosk window and the records answer and a visible video's frames advance. */
export function judgeHealth(checks: HealthChecks): Health {
  const ok = checks.window === 'answering' && checks.records === 'answering' && checks.video !== 'stalled';
  return { status: ok ? 'ok' : 'failing', checks };
}
