import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { test } from 'playwright/test';
import { startDemoService } from '../../main/demo-service/demo-service';
import { type Kiosk, removeFolder, startKiosk } from '../kiosk';
import { solidImage } from '../solid-image';
import { benchData, until } from './kiosk-folder';
import { report } from './report';
import { median, pairedRatio, percentile } from './statistics';

const ROUNDS = 150;
/** The signals API takes fifty requests a second for long; three are sent a round. */
const PAUSE_MS = 80;

const audience = (gender: string) => ({
  targeting_groups: [{ conditions: [{ demographic: { profiles: [{ gender }] } }] }],
});

/** One long image is on the screen; of the others, the shopper's gender decides which comes next. */
function ads() {
  const media = [{ name: 'red.png', type: 'image/png', width: 1280, height: 720 }];
  const ad = (id: string, metadata: object) => ({
    id,
    durationSeconds: 3600,
    media,
    metadata: { flight_id: id, source_id: 'cms', ...metadata },
  });
  return [
    ad('now', {}),
    ad('hers', { audience: audience('GENDER_FEMALE') }),
    ad('his', { audience: audience('GENDER_MALE') }),
    ...Array.from({ length: 1_000 }, (_, index) =>
      ad(`other-${index}`, { audience: audience(`NOBODY_${index}`) }),
    ),
  ];
}

test('a signal decides', async () => {
  const dataDir = join(benchData, 'signals');
  removeFolder(dataDir);
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const service = await startDemoService();
  const plain = spawn(process.execPath, [join(__dirname, 'plain-server.mjs')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let kiosk: Kiosk | null = null;
  try {
    const plainPort = Number(
      await new Promise<Buffer>((done) => {
        plain.stdout.once('data', done);
      }),
    );
    service.setMedia('red.png', solidImage([200, 30, 40]), 'image/png');
    service.setAds(ads());
    const settings = { ...service.settings(), native: { enabled: false }, signals: { port: 0 } };
    kiosk = await startKiosk({ dataDir, settings });
    const running = kiosk;
    await until(async () => (await running.status()).now?.adId === 'now').catch((fault: unknown) => {
      throw new Error(`the kiosk does not play; it said:\n${running.output()}`, { cause: fault });
    });
    await measure(await apiOf(running), plainPort);
  } finally {
    await kiosk?.kill();
    plain.kill();
    await service.close();
    removeFolder(dataDir);
  }
});

interface Api {
  readonly port: number;
  readonly token: string;
}

async function measure(api: Api, plainPort: number): Promise<void> {
  const agent = new Agent({ keepAlive: true });
  const samples = { put: [] as number[], plain: [] as number[], decided: [] as number[] };
  for (let round = 0; round < ROUNDS + 10; round += 1) {
    const [gender, expected] = round % 2 === 0 ? ['GENDER_FEMALE', 'hers'] : ['GENDER_MALE', 'his'];
    const body = JSON.stringify({ people: [{ gender }], ttlSeconds: 60 });
    const plain = await exchange(agent, { port: plainPort, token: 'none' }, 'PUT', '/', body);
    const put = await exchange(agent, api, 'PUT', '/v1/signals/shopper', body);
    if (put.status !== 204) throw new Error(`the signal was not accepted: ${put.status} ${put.body}`);
    // The status is asked at once, and again until it names the ad of the new signal.
    const accepted = performance.now();
    let decided: number | null = null;
    while (decided === null) {
      const status = await exchange(agent, api, 'GET', '/v1/status');
      const { next } = JSON.parse(status.body) as { next: { adId: string } | null };
      if (next?.adId === expected) decided = performance.now() - accepted;
      else if (performance.now() - accepted > 5_000) {
        throw new Error(`the signal did not decide; next is ${next?.adId}`);
      }
    }
    if (round >= 10) {
      samples.put.push(put.ms);
      samples.plain.push(plain.ms);
      samples.decided.push(decided);
    }
    await new Promise((resume) => setTimeout(resume, PAUSE_MS));
  }
  agent.destroy();
  await report({
    name: 'signal accepted to the decision by it p99 (a plain loopback round trip)',
    unit: 'ms',
    value: percentile(samples.decided, 0.99),
    baseline: percentile(samples.plain, 0.99),
    ratio: pairedRatio(samples.decided, samples.plain),
    budgets: [{ of: 'value', most: 5 }],
    samples: { decided: samples.decided, plain: samples.plain },
    details: { 'p50 ms': median(samples.decided), note: 'one status request included' },
  });
  await report({
    name: 'PUT of a signal (PUT to a plain loopback server)',
    unit: 'ms',
    value: median(samples.put),
    baseline: median(samples.plain),
    ratio: pairedRatio(samples.put, samples.plain),
    budgets: [],
    samples: { put: samples.put, plain: samples.plain },
    details: { 'p99 ms': percentile(samples.put, 0.99), 'plain p99 ms': percentile(samples.plain, 0.99) },
  });
}

async function apiOf(kiosk: Kiosk): Promise<Api> {
  return kiosk.app.evaluate(({ app }) => {
    const { readFileSync } = process.getBuiltinModule('node:fs');
    const folder = app.getPath('userData');
    return {
      port: Number(readFileSync(`${folder}/signals-port`, 'utf8')),
      token: readFileSync(`${folder}/signals-token`, 'utf8').trim(),
    };
  });
}

function exchange(
  agent: Agent,
  { port, token }: Api,
  method: string,
  path: string,
  body = '',
): Promise<{ ms: number; status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const started = performance.now();
    const headers = {
      authorization: `Bearer ${token}`,
      ...(method === 'PUT' ? { 'content-type': 'application/json', 'content-length': body.length } : {}),
    };
    const asking = request({ agent, host: '127.0.0.1', port, method, path, headers }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.once('end', () =>
        resolve({ ms: performance.now() - started, status: response.statusCode ?? 0, body: text }),
      );
    });
    asking.once('error', reject);
    asking.end(body);
  });
}
