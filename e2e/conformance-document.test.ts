import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CAP_WINDOWS } from '../main/decisions/frequency-caps';
import { NATIVE_SETTINGS } from '../main/settings/native-params';
import { CONFORMANCE, REQUIREMENTS } from './conformance-document';

const root = join(__dirname, '..');
/** The settings schema lists the parameters that the interface documents. */
const schema = JSON.parse(readFileSync(join(root, 'main/settings/settings.schema.json'), 'utf8'));
const nativeParams = Object.keys(schema.properties.native.properties.params.properties);

/** The names in the interface's tables: from the code where it has such a list, otherwise written out here. */
const NAMES: readonly (readonly [what: string, prefix: string, names: readonly string[]])[] = [
  ['cap windows', 'FrequencyCap.window.', CAP_WINDOWS],
  ['native request parameters', '', [...nativeParams, ...NATIVE_SETTINGS]],
  ['sources', 'source.SOURCE_TYPE_', ['AD_SERVER', 'SSP', 'CMS']],
  [
    'age ranges',
    'age_range.AGE_RANGE_',
    [
      ...['18_20', '21_24', '25_29', '30_34', '35_39', '40_44', '45_49', '50_54', '55_59', '60_64', '65_69'],
      ...['70_74', '75_PLUS'],
    ],
  ],
  ['genders', 'gender.GENDER_', ['FEMALE', 'MALE', 'OTHER', 'UNKNOWN']],
  [
    'operators',
    'CountComparison.operator.COUNT_COMPARISON_OPERATOR_',
    ['EQUAL', 'LESS_THAN', 'LESS_THAN_OR_EQUAL', 'GREATER_THAN', 'GREATER_THAN_OR_EQUAL'],
  ],
  [
    'weather',
    'weather_types.WEATHER_TYPE_',
    ['SUNNY', 'CLOUDY', 'RAINY', 'SNOW', 'ABOVE_20_CELSIUS', 'BELOW_10_CELSIUS'],
  ],
  ['layouts', 'al.', ['s', 'm', 'l']],
  [
    'asset types',
    'asset.',
    ['icon', 'banner', 'title', 'description', 'rating', 'cta', 'standardbanner', 'htmlbanner', 'vast2'],
  ],
  ['meta types', 'meta.', ['points', 'revenuemodel', 'campaignid', 'creativeid', 'bundleid', 'contentinfo']],
  ['beacons', 'beacon.', ['impression.url', 'impression.js', 'click.url']],
];

/** Requirements that the kiosk does not meet yet, or that no test shows: a list item each. */
const [, open = ''] = CONFORMANCE.split('\n## Open\n');

describe('the rows of conformance', () => {
  test.each(NAMES)('have a row for each name of %s', (_what, prefix, names) => {
    const isThere = (name: string) =>
      REQUIREMENTS.some(({ id }) =>
        [prefix + name, `native.${name}`].some((start) => id === start || id.startsWith(`${start}.`)),
      );
    expect(names.filter((name) => !isThere(name))).toEqual([]);
  });

  test('each have a test', () => {
    const isShown = ({ shownBy }: (typeof REQUIREMENTS)[number]) =>
      shownBy.every(({ titles }) => titles.length > 0);
    expect(REQUIREMENTS.filter((row) => !isShown(row)).map(({ id }) => id)).toEqual([]);
    expect(REQUIREMENTS.length).toBeGreaterThan(200);
  });

  test('are all of the table rows of the document', () => {
    const lines = CONFORMANCE.split('\n').filter((line) => /^\| (?!row |---)/.test(line));
    expect(lines).toHaveLength(REQUIREMENTS.length);
  });

  test('are unique', () => {
    const ids = REQUIREMENTS.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
  });

  test('are open in few places at most', () => {
    expect(open.trim()).toMatch(/^(None\.|- .*(\n- .*){0,4})$/);
  });
});
