import { asError, describeError } from '../describe-error';
import { ERROR_EXIT_CODE, endOnErrors } from '../end-on-errors';
import { type DemoService, startDemoService } from './demo-service';
import { processArguments, USAGE } from './process-arguments';

// Set before anything else runs. The kiosk restarts this process (rule 25).
endOnErrors((thrown) => {
  try {
    console.error(`an unexpected error ended the embedded ad service: ${describeError(asError(thrown))}`);
  } finally {
    process.exit(ERROR_EXIT_CODE);
  }
});

/** The message port of an Electron utility process to its parent. */
interface ParentPort {
  postMessage(message: unknown): void;
  on(event: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

const PARENT_POLL_MS = 2000;

function parentPortOf(host: object): ParentPort | null {
  return 'parentPort' in host ? ((host.parentPort as ParentPort | undefined) ?? null) : null;
}

async function main(): Promise<void> {
  const { port, kiosk } = processArguments(process.argv.slice(2));
  const parent = parentPortOf(process);
  const service = await startDemoService({
    port,
    ...(kiosk !== null && { kiosk }),
    embedded: parent !== null,
    // Whoever typed a port has settings that contain it.
    requiresPort: parent === null,
  });
  if (parent === null) serveTerminal(service);
  else serveParent(service, parent);
}

function serveParent(service: DemoService, parent: ParentPort): void {
  const stop = (): void => {
    void service.close().then(() => process.exit(0));
  };
  parent.on('message', ({ data }) => {
    if (typeof data !== 'object' || data === null || !('type' in data)) return;
    if (data.type === 'kiosk' && 'url' in data && 'token' in data) {
      if (typeof data.url === 'string' && typeof data.token === 'string') {
        service.setKiosk({ url: data.url, token: data.token });
      }
    }
  });
  const born = process.ppid;
  setInterval(() => {
    if (process.ppid !== born) stop();
  }, PARENT_POLL_MS).unref();
  parent.postMessage({ origin: service.origin, port: service.port, settings: service.settings() });
}

function serveTerminal(service: DemoService): void {
  const stop = (): void => {
    void service.close().then(() => process.exit(0));
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  console.log(`The demo ad service listens on ${service.origin}

A kiosk uses it with these settings (npm start -- --config FILE):
${JSON.stringify(service.settings(), null, 2)}

Store simulator:      ${service.origin}/simulator
Beacons that arrived: ${service.origin}/control/beacons
`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  console.error(USAGE);
  process.exitCode = 2;
});
