import { randomUUID } from 'node:crypto';
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { say } from './say.mjs';

/**
 * Does `work` while no other process holds the same lock file. A lock whose owner
 * has died is taken over.
 * @template T
 * @param {string} path
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(path, work) {
  mkdirSync(dirname(path), { recursive: true });
  const mine = `${path}.${process.pid}.${randomUUID()}`;
  writeFileSync(mine, owner(process.pid));
  let told = false;
  try {
    for (;;) {
      try {
        // A link either brings its whole content along or does not come to be.
        linkSync(mine, path);
        break;
      } catch (error) {
        if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'EEXIST') throw error;
      }
      const holder = readIfThere(path);
      if (holder !== null && !isAlive(holder)) {
        takeAway(path, holder);
        continue;
      }
      if (!told && holder !== null) {
        say(`waiting for process ${holder.split(' ')[0]}, which prepares the same thing`);
        told = true;
      }
      await sleep(100);
    }
  } finally {
    rmSync(mine, { force: true });
  }
  try {
    return await work();
  } finally {
    rmSync(path, { force: true });
  }
}

/**
 * A process by its number and its birth, since numbers come back.
 * @param {number} pid
 */
function owner(pid) {
  return `${pid} ${birth(pid) ?? ''}`;
}

/** @param {number} pid */
function birth(pid) {
  const stat = readIfThere(`/proc/${pid}/stat`);
  // The program's name may hold spaces and brackets; the fields after the last bracket do not.
  return stat === null ? null : (stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? null);
}

/** @param {string} holder */
function isAlive(holder) {
  const pid = Number(holder.split(' ')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return false;
  try {
    process.kill(pid, 0);
  } catch (error) {
    return /** @type {NodeJS.ErrnoException} */ (error).code === 'EPERM';
  }
  return holder === owner(pid);
}

/**
 * @param {string} path
 * @param {string} dead
 */
function takeAway(path, dead) {
  const aside = `${path}.stale.${randomUUID()}`;
  try {
    renameSync(path, aside);
  } catch {
    return; // Somebody else was quicker.
  }
  // Between the look and the move a living process may have come to hold it: give it back.
  if (readIfThere(aside) !== dead) {
    try {
      linkSync(aside, path);
    } catch {
      // A third one holds it by now.
    }
  }
  rmSync(aside, { force: true });
}

/** @param {string} path */
function readIfThere(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return null;
  }
}
