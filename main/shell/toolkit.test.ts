import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { prepareToolkit } from './toolkit';

it.each([
  ['where the system names its folders', '/opt/share:/usr/share', '/opt/share:/usr/share'],
  ['where it does not', undefined, '/usr/local/share:/usr/share'],
  ['where it names none', '', '/usr/local/share:/usr/share'],
])('the toolkit finds a black theme first, and still finds the others, %s', (_where, given, others) => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-theme-'));
  try {
    const environment: NodeJS.ProcessEnv = { GTK_THEME: 'Adwaita', XDG_DATA_DIRS: given };
    prepareToolkit(folder, environment);
    prepareToolkit(folder, environment);
    expect(environment.XDG_DATA_DIRS?.startsWith(`${folder}:`)).toBe(true);
    expect(environment.XDG_DATA_DIRS?.endsWith(`:${others}`)).toBe(true);
    for (const toolkit of ['gtk-3.0', 'gtk-4.0']) {
      const file = join(folder, 'themes', environment.GTK_THEME ?? '', toolkit, 'gtk.css');
      expect(readFileSync(file, 'utf8')).toContain('background-color: #000000');
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it('a disk that takes no theme does not end the start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-theme-'));
  try {
    const taken = join(folder, 'toolkit');
    writeFileSync(taken, 'a file where the folder should be');
    const environment: NodeJS.ProcessEnv = {};
    prepareToolkit(taken, environment);
    expect(environment.XDG_DATA_DIRS).toContain('/usr/share');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

it.each([
  ['looks for no OpenGL', undefined, 'disable'],
  ['uses it as the operator says', 'always', 'always'],
])('the toolkit %s', (_how, given, used) => {
  const folder = mkdtempSync(join(tmpdir(), 'endcap-theme-'));
  try {
    const environment: NodeJS.ProcessEnv = { GDK_GL: given };
    prepareToolkit(folder, environment);
    expect(environment.GDK_GL).toBe(used);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
