import { expect, test } from 'vitest';
import { z } from 'zod';
import { Reply, SignedBlocks, SignedCommand } from './commands';
import { InventoryMessage, NowMessage, ProofMessage, StateMessage } from './messages';

/** By the last level of their topic; of signed documents the payload. */
const MESSAGES = {
  state: StateMessage,
  now: NowMessage,
  proof: ProofMessage,
  inventory: InventoryMessage,
  reply: Reply,
  command: SignedCommand,
  blocks: SignedBlocks,
};

test('the shipped JSON Schema equals the schemas of the messages', async () => {
  const { $schema, properties } = z.toJSONSchema(z.object(MESSAGES), { io: 'input' });
  await expect(
    `${JSON.stringify({ $schema, $defs: properties }, null, 2)}\n`,
    'fleet.schema.json is stale; write it anew with: npx vitest run main/fleet/link -u',
  ).toMatchFileSnapshot('./fleet.schema.json');
});
