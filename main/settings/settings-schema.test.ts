import { expect, test } from 'vitest';
import { settingsJsonSchema } from './settings';

test('the shipped JSON Schema is the one the settings are checked with', async () => {
  const schema = `${JSON.stringify(settingsJsonSchema(), null, 2)}\n`;
  await expect(
    schema,
    'settings.schema.json is stale; write it anew with: npx vitest run main/settings -u',
  ).toMatchFileSnapshot('./settings.schema.json');
});
