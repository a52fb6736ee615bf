import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { type Answer, bareAnswer, type ServiceRequest } from '../http-answer';
import { type KioskAddress, relayToKiosk } from './kiosk-relay';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
};

const HEADERS = {
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'Cache-Control': 'no-cache',
  'X-Content-Type-Options': 'nosniff',
};

/** The store simulator's page at `/simulator`, and what it asks the kiosk through `/simulator/api/…`. */
export function createSimulator(
  folder: string,
): (request: ServiceRequest, kiosk: KioskAddress | null) => Promise<Answer> {
  const files = new Map(
    readdirSync(folder).map((name) => [`/simulator/${name}`, readFileSync(join(folder, name))]),
  );
  return async (request, kiosk) => {
    if (request.path.startsWith('/simulator/api/')) return relayToKiosk(request, kiosk);
    const path = /^\/simulator\/?$/.test(request.path) ? '/simulator/index.html' : request.path;
    const body = files.get(path);
    if (body === undefined) return bareAnswer(404);
    return {
      status: 200,
      headers: { ...HEADERS, 'Content-Type': TYPES[extname(path)] ?? 'application/octet-stream' },
      body,
    };
  };
}
