import { mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import type { StageEvent } from '../shared/stage';
import { expect } from './expect';
import { filesWith, inEveryForm, tokensOf } from './files-with';
import { type Kiosk, pageAt, root } from './kiosk';
import { folder, launch, service, shareWorld, test } from './kiosk-test';
import { processOf } from './pages-and-processes';
import {
  BLUE,
  BRIEF,
  expectMorePlays,
  expectOnScreen,
  kioskSettings,
  RED,
  serveTwoCreatives,
} from './two-creatives';

// Rules 21 and 23 on a real kiosk: what its own pages may do, and where secrets are.

const SECRET = 'c0rrect-horse&battery=staple';

let kiosk: Kiosk;

async function playing(env: Readonly<Record<string, string>> = {}): Promise<void> {
  kiosk = await launch(kioskSettings(service), { env });
  await expectMorePlays(kiosk, 1);
}

const WINDOWS = [
  ['kiosk', 'endcap://kiosk/'],
  ['records', 'endcap://records/'],
] as const;

/** Addresses to which pages tried to navigate, from the log. */
const heldAddresses = (log: string) =>
  [...log.matchAll(/a page tried to navigate[^{]*it was blocked \{"url":"([^"]*)"/g)].map(([, url]) => url);

test.describe('on one kiosk', () => {
  shareWorld(() => {
    serveTwoCreatives(service, BRIEF);
    return playing();
  });

  test('main loads no graphics driver, because another process draws', () => {
    const loaded = readFileSync(`/proc/${kiosk.pid}/maps`, 'utf8');
    expect(loaded).toContain('libgtk-3');
    expect(loaded).not.toMatch(/libLLVM|_dri\.so|libGLX_/);
  });

  test('the kiosk keeps the display from going to sleep', async () => {
    // Electron numbers blockers from 0.
    expect(await kiosk.app.evaluate(({ powerSaveBlocker }) => powerSaveBlocker.isStarted(0))).toBe(true);
  });

  for (const [name, address] of WINDOWS) {
    const open = (): Promise<Page> => pageAt(kiosk.app, address);

    test(`the ${name} window is sandboxed, isolated and without Node`, async () => {
      const page = await open();
      const globals = await page.evaluate(() =>
        ['require', 'process', 'module', 'global', 'Buffer', '__dirname', 'electron'].filter(
          (found) => found in globalThis,
        ),
      );
      expect(globals).toEqual([]);
      const preferences = await kiosk.app.evaluate(({ webContents }, url) => {
        const contents = webContents.getAllWebContents().find((one) => one.getURL() === url);
        return (
          contents as unknown as { getLastWebPreferences(): Record<string, unknown> }
        ).getLastWebPreferences();
      }, address);
      expect(preferences).toMatchObject({ sandbox: true, contextIsolation: true, nodeIntegration: false });
      expect(preferences.webSecurity).not.toBe(false);
      if (name === 'records') expect(preferences.webviewTag ?? false).toBe(false);
      // The kernel's own report: system calls are filtered, and no new privileges can be gained.
      const system = readFileSync(`/proc/${await processOf(kiosk, address)}/status`, 'utf8');
      expect(system).toMatch(/^Seccomp:\s+2$/m);
      expect(system).toMatch(/^NoNewPrivs:\s+1$/m);
    });

    test(`the ${name} window opens no window and does not navigate`, async () => {
      const page = await open();
      const windows = () => kiosk.app.evaluate(({ BrowserWindow }) => BrowserWindow.getAllWindows().length);
      const before = await windows();
      const from = kiosk.log().length;
      const logged = () => kiosk.log().slice(from);
      expect(await page.evaluate(() => window.open('https://example.invalid/') === null)).toBe(true);
      await page.evaluate(() => {
        const link = document.createElement('a');
        link.href = 'https://example.invalid/';
        link.target = '_blank';
        document.body.append(link);
        link.click();
        link.remove();
      });
      await expect
        .poll(() => logged().match(/a page tried to open a window; it was blocked/g)?.length)
        .toBe(2);
      expect(await windows()).toBe(before);

      const other = address === 'endcap://kiosk/' ? 'endcap://records/' : 'endcap://kiosk/';
      const away = ['https://example.invalid/', `${service.origin}/landing/x`, other];
      for (const target of away) {
        await page.evaluate((to) => {
          location.href = to;
        }, target);
        await expect.poll(() => heldAddresses(logged())).toContain(target);
      }
      // Chromium rejects this one itself, before the kiosk is asked.
      await page.evaluate(() => {
        location.href = 'file:///etc/passwd';
      });
      await expectMorePlays(kiosk, 1);
      expect(page.url()).toBe(address);
      expect(service.requests().filter(({ group }) => group === 'landing')).toEqual([]);
    });

    test(`the ${name} window is denied every permission`, async () => {
      const page = await open();
      const states = await page.evaluate(async () => {
        const names = ['geolocation', 'notifications', 'camera', 'microphone', 'midi', 'persistent-storage'];
        const asked = await Promise.all(
          names.map(async (permission) => {
            const { state } = await navigator.permissions.query({ name: permission as PermissionName });
            return [permission, state] as const;
          }),
        );
        return Object.fromEntries(asked);
      });
      expect(Object.values(states)).toEqual(Object.values(states).map(() => 'denied'));
      const answers = await page.evaluate(async () => ({
        notification: await Notification.requestPermission(),
        position: await new Promise((done) =>
          navigator.geolocation.getCurrentPosition(
            () => done('told'),
            ({ code }) => done(code === GeolocationPositionError.PERMISSION_DENIED ? 'denied' : code),
          ),
        ),
        camera: await navigator.mediaDevices.getUserMedia({ video: true }).then(
          () => 'given',
          ({ name: error }: Error) => error,
        ),
        screen: await navigator.mediaDevices.getDisplayMedia().then(
          () => 'given',
          ({ name: error }: Error) => error,
        ),
      }));
      expect(answers.notification).toBe('denied');
      expect(answers.position).toBe('denied');
      expect(answers.camera).not.toBe('given');
      expect(answers.screen).not.toBe('given');
    });

    test(`the ${name} window runs only its own code and reaches no network`, async () => {
      const page = await open();
      service.clearRequests();
      const outcome = await page.evaluate(async (origin) => {
        // Runs in a separate task: the page's policy does not apply to code that a debugger evaluates.
        const inPage = <T>(run: () => T | Promise<T>) =>
          new Promise<T | string>((done) => {
            // An attempt that neither succeeds nor fails counts as rejected.
            setTimeout(() => done('silence'), 10_000);
            setTimeout(async () => {
              try {
                done(await run());
              } catch (error) {
                done(error instanceof Error ? error.name : String(error));
              }
            });
          });
        const target = globalThis as unknown as Record<string, unknown>;
        const loads = (element: HTMLImageElement | HTMLScriptElement, src: string) =>
          new Promise<string>((done) => {
            element.onload = () => done('loaded');
            element.onerror = () => done('refused');
            element.src = src;
            document.body.append(element);
          });
        const inline = document.createElement('script');
        inline.textContent = 'globalThis.inlineRan = true';
        const handler = document.createElement('div');
        handler.setAttribute('onclick', 'globalThis.handlerRan = true');
        return {
          // biome-ignore lint/security/noGlobalEval: what the policy has to refuse
          eval: await inPage(() => String(eval('1 + 1'))),
          function: await inPage(() => String(new Function('return 2')())),
          inline: await inPage(() => {
            document.body.append(inline);
            return target.inlineRan === true ? 'ran' : 'refused';
          }),
          handler: await inPage(() => {
            document.body.append(handler);
            handler.click();
            return target.handlerRan === true ? 'ran' : 'refused';
          }),
          remote: await inPage(() => loads(document.createElement('script'), `${origin}/media/script.js`)),
          picture: await inPage(() => loads(document.createElement('img'), `${origin}/media/red.png`)),
          fetch: await inPage(async () => String((await fetch(`${origin}/media/red.png`)).status)),
          socket: await inPage(
            () =>
              new Promise<string>((done) => {
                const socket = new WebSocket(origin.replace('http', 'ws'));
                socket.onopen = () => done('open');
                socket.onerror = () => done('refused');
              }),
          ),
          frame: await inPage(() => {
            const frame = document.createElement('iframe');
            frame.src = `${origin}/media/red.png`;
            document.body.append(frame);
            return frame.contentWindow === null ? 'none' : 'asked';
          }),
        };
      }, service.origin);
      expect(outcome).toMatchObject({
        eval: 'EvalError',
        function: 'EvalError',
        inline: 'refused',
        handler: 'refused',
        remote: 'refused',
        picture: 'refused',
        fetch: 'TypeError',
      });
      expect(outcome.socket).not.toBe('open');
      await expectMorePlays(kiosk, 1);
      // Main requests ads and sends beacons; no page may have requested anything.
      const asked = service.requests().map(({ group }) => group);
      expect(asked.filter((group) => group === 'media' || group === 'landing')).toEqual([]);
    });
  }

  test('Chromium writes no pictures and no shaders to the disk', () => {
    const memory = process.env.TMPDIR ? tmpdir() : '/dev/shm';
    expect(readlinkSync(join(folder, 'SingletonSocket')), 'temporary files').toContain(`${memory}/`);
    expect(readdirSync(folder).filter((name) => /^GPU|^Dawn/.test(name))).toEqual([]);
  });

  test('invalid messages on the stage channel are dropped and logged, and the kiosk plays on', async () => {
    const from = kiosk.log().length;
    const junk: unknown[] = [
      null,
      'ready',
      42,
      [],
      {},
      { type: 'reserve', slot: 1 },
      { type: 'presented', slot: 'one' },
      { type: 'presented', slot: -1 },
      { type: 'prepared', slot: 1, durationMs: Number.NaN },
      { type: 'failed', slot: 1, code: 'load-failed', detail: 'x'.repeat(100_000) },
      { type: 'ended', slot: 1, reason: 'because', report: {} },
      JSON.parse('{"__proto__": {"type": "ready"}}'),
    ];
    // Valid messages about slots that never existed: they must not create a play.
    const untrue: StageEvent[] = [
      { type: 'presented', slot: 900_000 },
      {
        type: 'ended',
        slot: 900_000,
        reason: 'ended',
        report: { viewedMs: 1, presentedFrames: 1, droppedFrames: 0, stalls: 0 },
      },
    ];
    await kiosk.screen.evaluate(
      (messages) => {
        const { endcap } = window as unknown as { endcap: { send(message: unknown): void } };
        for (const message of messages) endcap.send(message);
      },
      [...junk, ...[...junk, ...untrue].map((value) => ({ tell: 'stage', value }))],
    );
    await expect
      .poll(
        () =>
          kiosk
            .log()
            .slice(from)
            .match(/a page sent a message that breaks the contract/g)?.length,
      )
      .toBe(2 * junk.length);
    expect(kiosk.log()).not.toContain('x'.repeat(1000));
    await Promise.all([expectOnScreen(kiosk, RED, BLUE), expectMorePlays(kiosk, 2)]);
    expect((await kiosk.plays()).every(({ adId }) => adId === 'red' || adId === 'blue')).toBe(true);
  });

  test('the stage channel accepts messages of the kiosk window only', async () => {
    await kiosk.app.evaluate(
      async ({ BrowserWindow }, preload) => {
        const window = new BrowserWindow({ show: false, webPreferences: { preload, sandbox: true } });
        await window.loadURL('endcap://kiosk/index.html').catch(() => {});
        await window.webContents.executeJavaScript(
          'window.endcap.send({ tell: "stage", value: { type: "ready" } })',
        );
        window.destroy();
      },
      join(root, 'out/preload/kiosk.js'),
    );
    await expect
      .poll(() => kiosk.log())
      .toMatch(/a message from an untrusted page was dropped .*"channel":"endcap:stage"/);
    await Promise.all([expectOnScreen(kiosk, RED, BLUE), expectMorePlays(kiosk, 2)]);
  });
});

test.describe('on a kiosk of its own', () => {
  test.use({ serviceOptions: { clientSecret: SECRET } });
  test.beforeEach(() => serveTwoCreatives(service));

  test('no secret and no token is in any file of the data folder or on the terminal', async () => {
    await playing({ ENDCAP_LOG: 'debug' });
    // Every way in which a secret could get into a message: a rejected token, a rejected secret, a service
    // that is down.
    service.setFaults({ ads: { kind: 'status', status: 401, times: 1 } });
    await expect.poll(() => service.requests().some(({ fault }) => fault === 'status')).toBe(true);
    await expectMorePlays(kiosk, 1);
    // Waits for the new token, which is searched for too.
    await expect.poll(() => tokensOf(service.requests()).length).toBeGreaterThan(1);
    await service.goDown();
    await expect.poll(() => kiosk.log()).toMatch(/ECONNREFUSED/);
    const tokens = tokensOf(service.requests());
    expect(await kiosk.terminate()).toBe(0);

    const secrets = [...inEveryForm(SECRET), ...tokens];
    const signalsToken = readFileSync(join(folder, 'signals-token'), 'utf8').trim();
    expect(filesWith(folder, secrets)).toEqual([join(folder, 'config.json')]);
    expect(filesWith(folder, [signalsToken])).toEqual([join(folder, 'signals-token')]);
    for (const secret of [...secrets, signalsToken]) expect(kiosk.output()).not.toContain(secret);
  });

  test('the kiosk contacts only the service', async () => {
    const seen = join(folder, 'seen');
    mkdirSync(seen);
    const connections = join(seen, 'node.txt');
    // Records Node's side, from before our first line of code: every connection and every look-up.
    const witness = join(seen, 'witness.cjs');
    writeFileSync(
      witness,
      `const { appendFileSync } = require('node:fs');
     const net = require('node:net');
     const note = (line) => appendFileSync(${JSON.stringify(connections)}, line + '\\n');
     const connect = net.Socket.prototype.connect;
     net.Socket.prototype.connect = function (...args) {
       this.on('lookup', (error, address, family, host) => note(host));
       // A socket of the file system, the display's for one, leads no further than this machine.
       this.on('connectionAttempt', (ip, port) => typeof port === 'number' && note(ip + ':' + port));
       return connect.apply(this, args);
     };`,
    );
    const netLog = join(seen, 'chromium.json');
    kiosk = await launch(kioskSettings(service), {
      args: [`--log-net-log=${netLog}`, '--disable-dev-shm-usage'],
      requiredScript: witness,
    });
    // Where shared memory is too small for Chromium, temporary files stay where the system says.
    expect(readlinkSync(join(folder, 'SingletonSocket'))).toContain(`${tmpdir()}/`);
    await expectMorePlays(kiosk, 8);
    // The last request of all shows that the log has them.
    const last = 'http://last.example/';
    await kiosk.app.evaluate(({ net }, url) => net.fetch(url).catch(() => {}), last);
    expect(await kiosk.terminate()).toBe(0);

    const lines = readFileSync(connections, 'utf8').trim().split('\n');
    const served = `127.0.0.1:${service.port}`;
    const ofPlaywright = /^(undefined|127\.0\.0\.1|localhost)$/;
    expect(new Set(lines.filter((line) => !ofPlaywright.test(line)))).toEqual(new Set([served]));

    // Chromium's side: every URL it requested, every name it resolved, every address it connected to.
    const { events, constants } = await readNetLog(netLog);
    expect(Object.keys(constants.logEventTypes).length).toBeGreaterThan(0);
    const contacted = events.flatMap(({ params = {} }) =>
      [params.url, params.host, params.address, params.remote_address].filter((to) => typeof to === 'string'),
    );
    const foreign = contacted.filter((to) => !/^(endcap|media|data|blob|devtools|chrome|file):/.test(to));
    expect(foreign[0]).toBe(last);
  });
});

interface NetLog {
  readonly events: { type: number; params?: Record<string, unknown> }[];
  readonly constants: { logEventTypes: Record<string, number> };
}

/** Waits for the whole file: Chromium's network process writes its end, and may outlive main by a moment. */
async function readNetLog(path: string): Promise<NetLog> {
  let read: NetLog | null = null;
  const isWhole = () => {
    try {
      read = JSON.parse(readFileSync(path, 'utf8')) as NetLog;
    } catch {
      // Its end is not written yet.
    }
    return read !== null;
  };
  await expect.poll(isWhole).toBe(true);
  return read as unknown as NetLog;
}
