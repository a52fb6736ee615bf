import { z } from 'zod';
import { plain } from '../../shared/plain';
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

const PARENT_POLL_MS = 2000;

/** The store simulator's kiosk, as the parent names it. */
const KioskMessage = z.object({ type: z.literal('kiosk'), url: plain.text, token: plain.text });

async function main(): Promise<void> {
  const { port, kiosk } = processArguments(process.argv.slice(2));
  // Only a utility process of Electron has one.
  const parent: ParentPort | undefined = process.parentPort;
  const service = await startDemoService({
    port,
    ...(kiosk !== null && { kiosk }),
    embedded: parent !== undefined,
    // Whoever typed a port has settings that contain it.
    requiresPort: parent === undefined,
  });
  const stop = (): void => {
    void service.close().then(() => process.exit(0));
  };
  if (parent === undefined) serveTerminal(service, stop);
  else serveParent(service, parent, stop);
}

type ParentPort = typeof process.parentPort;

function serveParent(service: DemoService, parent: ParentPort, stop: () => void): void {
  parent.on('message', (message) => {
    const kiosk = KioskMessage.safeParse(message.data);
    if (kiosk.success) service.setKiosk(kiosk.data);
  });
  const born = process.ppid;
  setInterval(() => {
    if (process.ppid !== born) stop();
  }, PARENT_POLL_MS).unref();
  parent.postMessage({ origin: service.origin, port: service.port, settings: service.settings() });
}

function serveTerminal(service: DemoService, stop: () => void): void {
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
