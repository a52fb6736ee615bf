import { z } from 'zod';
import type { AdMetadata, Audience, TargetingCondition } from '../../../shared/ad';
import { plain } from '../../../shared/plain';
import { nestsDeeperThan, SERVICE_JSON_DEPTH } from '../../reading/json-depth';
import { targetsOf } from './answer-limits';
import { readInstant } from './instant';

/**
 * Bounds of one ad's metadata. They are far above what a campaign needs, and keep a broken or hostile answer
 * from filling memory or slowing down each decision.
 */
export const METADATA_LIMITS = {
  /** UTF-16 code units of the whole JSON text. */
  text: 1_048_576,
  enumString: 256,
  /** Length of one SKU or item name. */
  product: 1_024,
  /** A longer one counts as absent: those of all sources are stored with every play. As long as in `ads.sourceWeights`. */
  sourceId: 256,
  frequencyCaps: 64,
  targetingGroups: 256,
  conditions: 256,
  profiles: 1_000,
  weatherTypes: 256,
  /** Groups, conditions and their entries, all together; copying them takes about 10 ms. */
  targets: 10_000,
} as const;

/** Characters of all basket items of an ad, in NFKC form: main folds them at each look at the ad (rule 6). */
export const MAX_ITEM_CHARACTERS = 65_536;

export type MetadataReading =
  | { readonly kind: 'metadata'; readonly metadata: AdMetadata }
  | {
      readonly kind: 'rejected';
      readonly code: 'metadata-missing' | 'metadata-invalid';
      readonly detail: string;
    };

const enumString = z.string().max(METADATA_LIMITS.enumString);

const Condition = z.object({
  demographic: z
    .object({
      profiles: z
        .array(
          z.object({
            age_range: enumString.nullish(),
            gender: enumString.nullish(),
            group_size: z.object({ operator: enumString.nullish(), value: z.uint32().nullish() }).nullish(),
          }),
        )
        .max(METADATA_LIMITS.profiles)
        .nullish(),
    })
    .nullish(),
  device: z
    .object({
      basket: z
        .object({
          skus: z.array(z.string().max(METADATA_LIMITS.product)).nullish(),
          items: z.array(z.string().max(METADATA_LIMITS.product)).nullish(),
        })
        .nullish(),
    })
    .nullish(),
  store: z
    .object({ weather_types: z.array(enumString).max(METADATA_LIMITS.weatherTypes).nullish() })
    .nullish(),
});
type Condition = z.infer<typeof Condition>;

// A key whose value is null counts as absent (rule 2). Ids and dates are checked in `fromWire`:
// in the schema, these checks would take a third of its time for every ad.
const ServiceMetadata = z.object({
  request_id: plain.text,
  audience: z
    .object({
      targeting_groups: z
        .array(z.object({ conditions: z.array(Condition).max(METADATA_LIMITS.conditions).nullish() }))
        .max(METADATA_LIMITS.targetingGroups)
        .nullish(),
    })
    .nullish(),
  campaign_id: z.unknown().optional(),
  flight_id: plain.text.nullish(),
  expires_at: plain.text.nullish(),
  frequency_caps: z
    .array(z.object({ window: enumString.nullish(), limit: z.uint32().nullish() }))
    .max(METADATA_LIMITS.frequencyCaps)
    .nullish(),
  source: z.unknown().optional(),
  source_id: z.unknown().optional(),
});
type ServiceMetadata = z.infer<typeof ServiceMetadata>;

// Some stores and exports lose control characters and unpaired surrogates,
// so two ids that differ only in these would become one flight.
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
const ID = /^[^\u0000-\u001f\u007f\ud800-\udfff]{0,1024}$/u;
const ID_EXPECTED = 'expected at most 1024 characters, none of them a control character';

/**
 * Reads the texts of an ad's metadata extensions (rules 2 and 4). Exactly one is expected. Several are
 * accepted only if they are equal, because of two different sets of caps it is unknown which one applies.
 */
export function readMetadataExtensions(texts: readonly string[]): MetadataReading {
  const [first, ...others] = texts;
  if (first === undefined) {
    return { kind: 'rejected', code: 'metadata-missing', detail: 'no metadata extension' };
  }
  const trimmed = first.trim();
  if (others.some((text) => text.trim() !== trimmed)) {
    return invalid(`${texts.length} metadata extensions that differ`);
  }
  return readMetadata(first);
}

/**
 * Reads the JSON of one `service-metadata` object (rules 2 and 4). Ignores unknown keys and keeps unknown
 * enum strings. An empty id counts as absent, because the sender's JSON leaves out empty values. Never
 * throws; `detail` names paths, not values.
 */
export function readMetadata(text: string): MetadataReading {
  if (text.length > METADATA_LIMITS.text) {
    return invalid(`${text.length} characters, at most ${METADATA_LIMITS.text} are read`);
  }
  if (nestsDeeperThan(SERVICE_JSON_DEPTH, text)) {
    return invalid(`nested deeper than ${SERVICE_JSON_DEPTH} levels`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text.trim());
  } catch {
    return invalid(text.trim() === '' ? 'the metadata extension is empty' : 'not JSON');
  }
  const parsed = ServiceMetadata.safeParse(json);
  if (!parsed.success) return invalid(firstIssue(parsed.error));
  return fromWire(parsed.data);
}

function fromWire(wire: ServiceMetadata): MetadataReading {
  if (wire.request_id === '') return invalid('request_id: empty');
  if (!ID.test(wire.request_id)) return invalid(`request_id: ${ID_EXPECTED}`);
  if (!ID.test(wire.flight_id ?? '')) return invalid(`flight_id: ${ID_EXPECTED}`);
  const expires = wire.expires_at ?? null;
  const expiresAt = expires === null ? null : readInstant(expires);
  if (expires !== null && expiresAt === null) {
    return invalid('expires_at: expected an RFC 3339 date-time');
  }
  const audience = wire.audience ? audienceOf(wire.audience.targeting_groups ?? []) : null;
  const targets = targetsOf(audience);
  if (targets > METADATA_LIMITS.targets) {
    const what = 'targeting conditions, profiles and products';
    return invalid(`audience: ${targets} ${what}, at most ${METADATA_LIMITS.targets} are read`);
  }
  if (hasLongItems(audience)) {
    return invalid(`audience: items of more than ${MAX_ITEM_CHARACTERS} characters together`);
  }
  const sourceId = label(wire.source_id);
  return {
    kind: 'metadata',
    metadata: {
      requestId: wire.request_id,
      audience,
      campaignId: label(wire.campaign_id),
      flightId: wire.flight_id || null,
      expiresAt,
      // The sender's JSON leaves out zeros (rule 4). A missing window is an unknown one, so it counts for
      // ever (rule 7).
      frequencyCaps: (wire.frequency_caps ?? []).map(({ window, limit }) => ({
        window: window ?? '',
        limit: limit ?? 0,
      })),
      source: label(wire.source),
      sourceId: sourceId === null || sourceId.length > METADATA_LIMITS.sourceId ? null : sourceId,
    },
  };
}

/** Whether the items of all baskets are longer than an ad's may be; stops where they are. */
function hasLongItems(audience: Audience | null): boolean {
  let characters = 0;
  for (const condition of audience?.groups.flatMap(({ conditions }) => conditions) ?? []) {
    if (condition.kind !== 'basket') continue;
    for (const item of condition.items) {
      characters += item.normalize('NFKC').length;
      if (characters > MAX_ITEM_CHARACTERS) return true;
    }
  }
  return false;
}

/** Ids for reports only: an invalid one counts as absent. */
function label(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && ID.test(value) ? value : null;
}

function invalid(detail: string): MetadataReading {
  return { kind: 'rejected', code: 'metadata-invalid', detail };
}

function firstIssue(error: z.ZodError): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'not a metadata object';
  const path = issue.path.join('.');
  const more = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : '';
  return `${path === '' ? 'metadata' : path}: ${issue.message}${more}`;
}

function audienceOf(groups: ReadonlyArray<{ conditions?: Condition[] | null | undefined }>): Audience {
  return { groups: groups.map((group) => ({ conditions: (group.conditions ?? []).map(conditionOf) })) };
}

function conditionOf(condition: Condition): TargetingCondition {
  const { demographic, device, store } = condition;
  const members = Object.keys(condition).filter((member) => condition[member as keyof Condition]);
  if (members.length !== 1) {
    return {
      kind: 'unreadable',
      detail: members.length === 0 ? 'no known member' : `several members: ${members.join(', ')}`,
    };
  }
  if (demographic) {
    return {
      kind: 'demographic',
      profiles: (demographic.profiles ?? []).map(({ age_range, gender, group_size }) => ({
        ageRange: age_range ?? null,
        gender: gender ?? null,
        groupSize: group_size
          ? { operator: group_size.operator ?? null, value: group_size.value ?? 0 }
          : null,
      })),
    };
  }
  if (device) {
    return { kind: 'basket', skus: device.basket?.skus ?? [], items: device.basket?.items ?? [] };
  }
  return { kind: 'weather', types: store?.weather_types ?? [] };
}
