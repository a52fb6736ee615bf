import { z } from 'zod';
import { type DemoAd, metadataObject } from './demo-ad';

/** The context of an online request. */
export interface OnlineContext {
  readonly ageRange: string | null;
  readonly gender: string | null;
  /** 0: nobody. */
  readonly groupSize: number;
  readonly skus: readonly string[];
  readonly items: readonly string[];
  readonly weather: readonly string[];
}

/**
 * The context parameters of an online request. They are this demo's own (the
 * interface shows none): `age_range`, `gender`, `group_size`, and `sku`, `item`,
 * `weather`, each of these repeated or comma-separated. Empty values are absent.
 */
export function onlineContext(query: URLSearchParams): OnlineContext {
  const one = (name: string): string | null => query.get(name) || null;
  const many = (name: string): string[] =>
    query
      .getAll(name)
      .flatMap((value) => value.split(','))
      .map((value) => value.trim())
      .filter((value) => value !== '');
  const ageRange = one('age_range');
  const gender = one('gender');
  const counted = Number.parseInt(one('group_size') ?? '', 10);
  return {
    ageRange,
    gender,
    groupSize: Number.isNaN(counted) ? (ageRange === null && gender === null ? 0 : 1) : counted,
    skus: many('sku'),
    items: many('item').map((item) => item.toLowerCase()),
    weather: many('weather'),
  };
}

const AudienceShape = z.object({
  targeting_groups: z
    .array(
      z.object({
        conditions: z.array(
          z.object({
            demographic: z
              .object({
                profiles: z.array(
                  z.object({
                    age_range: z.string().optional(),
                    gender: z.string().optional(),
                    group_size: z
                      .object({ operator: z.string().optional(), value: z.number().default(0) })
                      .optional(),
                  }),
                ),
              })
              .optional(),
            device: z
              .object({
                basket: z.object({
                  skus: z.array(z.string()).default([]),
                  items: z.array(z.string()).default([]),
                }),
              })
              .optional(),
            store: z.object({ weather_types: z.array(z.string()) }).optional(),
          }),
        ),
      }),
    )
    .default([]),
});
type Condition = z.infer<typeof AudienceShape>['targeting_groups'][number]['conditions'][number];

const COMPARE: Record<string, (count: number, value: number) => boolean> = {
  COUNT_COMPARISON_OPERATOR_EQUAL: (count, value) => count === value,
  COUNT_COMPARISON_OPERATOR_LESS_THAN: (count, value) => count < value,
  COUNT_COMPARISON_OPERATOR_LESS_THAN_OR_EQUAL: (count, value) => count <= value,
  COUNT_COMPARISON_OPERATOR_GREATER_THAN: (count, value) => count > value,
  COUNT_COMPARISON_OPERATOR_GREATER_THAN_OR_EQUAL: (count, value) => count >= value,
};

/** Whether the server would serve the ad online in this context: its audience, and its expiry at `now` (ms UTC). */
export function servesOnline(ad: DemoAd, context: OnlineContext, now: number): boolean {
  const { audience, expires_at } = metadataObject(ad);
  if (typeof expires_at === 'string' && now > Date.parse(expires_at)) return false;
  if (audience === undefined) return true;
  const read = AudienceShape.safeParse(audience);
  if (!read.success) return false;
  return read.data.targeting_groups.some(
    (group) => group.conditions.length > 0 && group.conditions.every((one) => holds(one, context)),
  );
}

function holds({ demographic, device, store }: Condition, context: OnlineContext): boolean {
  if (demographic !== undefined) {
    return (
      context.groupSize > 0 &&
      demographic.profiles.some(
        ({ age_range, gender, group_size }) =>
          (age_range === undefined || age_range === context.ageRange) &&
          (gender === undefined || gender === context.gender) &&
          (group_size?.operator === undefined ||
            COMPARE[group_size.operator]?.(context.groupSize, group_size.value) === true),
      )
    );
  }
  if (device !== undefined) {
    return (
      device.basket.skus.some((sku) => context.skus.includes(sku)) ||
      device.basket.items.some((item) => context.items.includes(item.toLowerCase()))
    );
  }
  return store?.weather_types.some((type) => context.weather.includes(type)) === true;
}
