import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const scryptAsync = promisify<string, Uint8Array, number, ScryptOptions, Buffer>(scrypt);

/** The scrypt hash of a PIN with its parameters. */
export interface PinHash {
  readonly N: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

/** 32 MiB and about 80 ms on a small kiosk computer: unnoticed by a person, expensive for a brute-force search. */
const COST = { N: 2 ** 15, r: 8, p: 1 } as const;
const SALT_BYTES = 16;
const HASH_BYTES = 32;
/** A hash that asks for more memory than this is not computed, bytes. */
const MAX_MEMORY = 256 * 1024 * 1024;

const FORM = /^scrypt\$(\d{1,7})\$(\d{1,2})\$(\d{1,2})\$([A-Za-z0-9_-]{11,86})\$([A-Za-z0-9_-]{22,86})$/;

/**
 * `scrypt$N$r$p$salt$hash`, salt and hash in base64url: what `admin.pinHash` of
 * the settings holds (rule 24).
 */
export async function hashPin(
  pin: string,
  salt: Uint8Array = randomBytes(SALT_BYTES),
  { N, r, p }: Pick<PinHash, 'N' | 'r' | 'p'> = COST,
): Promise<string> {
  const hash = await derive(pin, { N, r, p, salt, hash: new Uint8Array(HASH_BYTES) });
  return `scrypt$${N}$${r}$${p}$${Buffer.from(salt).toString('base64url')}$${hash.toString('base64url')}`;
}

/** Reads what `hashPin` wrote; null when it is something else, or asks for more than 256 MiB. */
export function readPinHash(text: string): PinHash | null {
  const [, n = '', r = '', p = '', salt = '', hash = ''] = FORM.exec(text) ?? [];
  const cost = { N: Number(n), r: Number(r), p: Number(p) };
  const isPowerOfTwo = cost.N > 1 && (cost.N & (cost.N - 1)) === 0;
  if (!isPowerOfTwo || cost.r < 1 || cost.p < 1) return null;
  if (memoryOf(cost) > MAX_MEMORY) return null;
  return { ...cost, salt: Buffer.from(salt, 'base64url'), hash: Buffer.from(hash, 'base64url') };
}

/** Whether it is the PIN, compared in constant time; off the main thread. */
export async function isPin(pin: string, known: PinHash): Promise<boolean> {
  return timingSafeEqual(await derive(pin, known), known.hash);
}

const memoryOf = ({ N, r, p }: Pick<PinHash, 'N' | 'r' | 'p'>) => 128 * r * (N + p);

const derive = (pin: string, { N, r, p, salt, hash }: PinHash): Promise<Buffer> =>
  scryptAsync(pin, salt, hash.byteLength, { N, r, p, maxmem: memoryOf({ N, r, p }) + 1024 * 1024 });
