import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsJsonSchema } from './settings';
import { readSettings } from './testing/read-settings';

test('the shipped JSON Schema equals the schema that validates the settings', async () => {
  const schema = `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`;
  await expect(
    schema,
    'settings.schema.json is stale; write it anew with: npx vitest run main/settings -u',
  ).toMatchFileSnapshot('./settings.schema.json');
});

test('docs/settings.md lists every setting as it is declared', async () => {
  const [words = ''] = readFileSync('docs/settings.md', 'utf8').split('\n## `', 1);
  const sections = Object.entries((settingsJsonSchema() as Described).properties ?? {}).flatMap(
    ([name, section]) => (section.properties === undefined ? [] : sectionText(name, section)),
  );
  await expect(
    `${words}\n${sections.join('\n')}`,
    'docs/settings.md is stale; write it anew with: npx vitest run main/settings -u',
  ).toMatchFileSnapshot('../../docs/settings.md');
});

/** The settings that documents show: a whole file first, then parts of one. `…` stands for what is the reader's own. */
const SHOWN = ['README.md', 'docs/install.md', 'docs/fleet.md'].flatMap((document) =>
  [...readFileSync(document, 'utf8').matchAll(/```jsonc?\n(.*?)```/gs)].map(([, shown = '']) => {
    const text = shown.replaceAll('ed25519:…', `ed25519:${'A'.repeat(43)}`).replaceAll('…', 'x');
    return { document, text: text.startsWith('{') ? text : `{${text}}` };
  }),
);

test.each(SHOWN)('settings that $document shows can be copied into a file: $text', ({ document, text }) => {
  const settings: Record<string, object> = JSON.parse(SHOWN[0]?.text ?? '');
  for (const [section, values] of Object.entries<object>(JSON.parse(text)))
    settings[section] = { ...settings[section], ...values };
  expect(readSettings(settings, document)).toMatchObject({ kind: 'settings' });
});

interface Described {
  readonly description?: string;
  readonly default?: unknown;
  readonly remote?: 'live' | 'restart';
  readonly properties?: Readonly<Record<string, Described>>;
  readonly required?: readonly string[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Described[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxItems?: number;
}

const REMOTE = { live: 'at once', restart: 'restart' } as const;

function sectionText(name: string, section: Described): string {
  const rows = settingsIn(section, name).map(([path, setting, isRequired]) => {
    const { description = '', remote } = setting;
    const cells = [
      ...[`\`${path}\``, valuesOf(setting), isRequired ? 'required' : defaultOf(setting)],
      ...[remote === undefined ? '–' : REMOTE[remote], description],
    ];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  });
  return `## \`${name}\`\n\n| setting | values | default | remotely | |\n|---|---|---|---|---|\n${rows.join('')}`;
}

const code = (value: unknown) => `\`${JSON.stringify(value)}\``;
const isNull = ({ type }: Described) => type === 'null';

/** A setting that may be null, and whose default the schema does not name, is null. */
const defaultOf = (setting: Described) =>
  'default' in setting ? code(setting.default) : setting.anyOf?.some(isNull) ? code(null) : '–';

/** What a setting may hold, as far as the schema says it. */
function valuesOf({ type, enum: values, anyOf, minimum, maximum, maxItems }: Described): string {
  if (anyOf !== undefined)
    return [...new Set(anyOf.filter((one) => !isNull(one)).map(valuesOf))].join(' or ');
  if (values !== undefined) return values.map(code).join(', ');
  const [kind] = typeof type === 'object' ? type : [type];
  if (kind === 'boolean') return [true, false].map(code).join(', ');
  if (kind === 'array') return `list, at most ${maxItems}`;
  if (kind === 'integer') return `${minimum} to ${maximum}, whole`;
  return kind === 'number' ? `${minimum} to ${maximum}` : kind === 'string' ? 'text' : (kind ?? '');
}

const settingsIn = (
  { properties = {}, required = [] }: Described,
  at: string,
): Array<readonly [path: string, setting: Described, isRequired: boolean]> =>
  Object.entries(properties).flatMap(([name, inner]) =>
    inner.properties === undefined
      ? [[`${at}.${name}`, inner, required.includes(name)] as const]
      : settingsIn(inner, `${at}.${name}`),
  );
