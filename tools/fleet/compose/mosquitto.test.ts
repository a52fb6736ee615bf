import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fleet } from '../../../main/cli/testing/run-fleet';
import { exampleState, type StandInKiosk, startStandIn } from '../../../main/cli/testing/stand-in-kiosk';
import { type Mosquitto, startMosquitto } from '../brokers/mosquitto';

const [A, B] = ['aaaa000000000001', 'bbbb000000000002'];
const PASSWORD = 'geheim';

const folder = mkdtempSync(join(tmpdir(), 'endcap-rights-'));
const [keyFile, passwordFile] = [join(folder, 'key.pem'), join(folder, 'password')];
let broker: Mosquitto;
let kiosk: StandInKiosk;
const as = (user: string) => broker.url.replace('mqtt://', `mqtt://${user}:${PASSWORD}@`);

beforeAll(async () => {
  const [users, rights] = [join(folder, 'users'), join(folder, 'acl')];
  writeFileSync(users, ['operator', 'tests', A, B].map((user) => `${user}:${PASSWORD}\n`).join(''), {
    mode: 0o600,
  });
  execFileSync('mosquitto_passwd', ['-U', users]);
  const acl = readFileSync(join(__dirname, 'mosquitto.acl'), 'utf8');
  writeFileSync(rights, `${acl}\nuser tests\ntopic readwrite #\n`, { mode: 0o600 });
  writeFileSync(passwordFile, PASSWORD);
  const configuration = readFileSync(join(__dirname, 'mosquitto.conf'), 'utf8').split('\n');
  const queues = configuration.filter((line) => line.startsWith('max_'));
  const access = [`password_file ${users}`, `acl_file ${rights}`, 'allow_anonymous false'];
  broker = await startMosquitto([...access, ...queues]);
  const publicKey = (await fleet(['keys', keyFile])).stdout.trim();
  kiosk = await startStandIn(as(A), A, { publicKey });
});
afterAll(async () => {
  await kiosk?.close();
  await broker?.close();
  rmSync(folder, { recursive: true, force: true });
});

const operator = (...args: string[]) =>
  fleet([...args, '--broker', broker.url, '--username', 'operator', '--password-file', passwordFile]);

// Each test goes on with what the ones before it published.
describe.skipIf(process.platform !== 'linux')(
  "the broker's rights of a small fleet",
  { shuffle: false },
  () => {
    it('let an operator see kiosks, command and block, and kiosks answer', async () => {
      expect((await operator('list')).stdout).toContain(`${A}  store-17/door  playing`);
      const sent = await operator('send', 'refresh', '--to', 'group:north', '--wait', '--sign-key', keyFile);
      expect(sent).toMatchObject({ exitCode: 0 });
      expect((await operator('block', 'flight:f', '--to', 'all', '--sign-key', keyFile)).exitCode).toBe(0);
      await expect.poll(() => kiosk.blocks.length).toBe(1);
    });

    it('let no kiosk publish as another one, or send commands', async () => {
      const other = await mqtt.connectAsync(as(B), { protocolVersion: 4 });
      const state = exampleState(A, { state: 'attention' });
      await other.publishAsync(`endcap/${A}/state`, JSON.stringify(state), { qos: 1, retain: true });
      await other.publishAsync('endcap/all/blocks', 'forged', { qos: 1, retain: true });
      await other.publishAsync(`endcap/${B}/state`, JSON.stringify(exampleState(B)), {
        qos: 1,
        retain: true,
      });
      await other.endAsync();
      const { stdout } = await operator('list');
      expect(stdout).toContain(`${A}  store-17/door  playing`);
      expect(stdout).toContain(`${B}  store-17/door  playing`);
      expect((await operator('blocks', '--to', 'all', '--sign-key', keyFile)).stdout).toContain('flight:f');
    });

    it('let no kiosk read messages of others', async () => {
      const other = await mqtt.connectAsync(as(B), { protocolVersion: 4, clientId: 'reader' });
      const heard: string[] = [];
      other.on('message', (topic) => void heard.push(topic));
      await other.subscribeAsync([`endcap/${A}/state`, 'endcap/all/blocks'], { qos: 1 }).catch(() => {});
      await expect.poll(() => heard).toContain('endcap/all/blocks');
      expect(heard).toEqual(['endcap/all/blocks']);
      await other.endAsync();
    });

    it('leave no kiosk out of a list, because the queue of the configuration is long enough', async () => {
      const kiosks = Array.from({ length: 1_500 }, (_, index) => index.toString(16).padStart(16, '0'));
      const admin = await mqtt.connectAsync(as('tests'));
      const told = kiosks.map((name) => {
        const state = JSON.stringify(exampleState(name, { state: 'playing' }));
        return admin.publishAsync(`endcap/${name}/state`, state, { qos: 1, retain: true });
      });
      await Promise.all(told);
      await admin.endAsync();
      const { stdout } = await operator('list', '--json');
      const listed = new Set((JSON.parse(stdout) as { kiosk: string }[]).map((each) => each.kiosk));
      expect(kiosks.filter((name) => !listed.has(name)).length).toBe(0);
    });

    it('refuse a connection without a password', async () => {
      const { exitCode, stderr } = await fleet(['list', '--broker', broker.url]);
      expect(exitCode).toBe(1);
      expect(stderr).toContain('the broker refuses the user, password or certificate');
    });
  },
);
