import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { settingsJsonSchema } from './settings';

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

interface Described {
  readonly description?: string;
  readonly default?: unknown;
  readonly remote?: 'live' | 'restart';
  readonly properties?: Readonly<Record<string, Described>>;
}

const REMOTE = { live: 'at once', restart: 'restart' } as const;

function sectionText(name: string, section: Described): string {
  const rows = settingsIn(section, name).map(([path, { description = '', remote, ...setting }]) => {
    const usual = 'default' in setting ? `\`${JSON.stringify(setting.default)}\`` : '–';
    const cells = [`\`${path}\``, usual, remote === undefined ? '–' : REMOTE[remote], description];
    return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  });
  return `## \`${name}\`\n\n| setting | default | remotely | |\n|---|---|---|---|\n${rows.join('')}`;
}

const settingsIn = ({ properties = {} }: Described, at: string): Array<readonly [string, Described]> =>
  Object.entries(properties).flatMap(([name, inner]) =>
    inner.properties === undefined ? [[`${at}.${name}`, inner] as const] : settingsIn(inner, `${at}.${name}`),
  );
