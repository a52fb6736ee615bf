import { expect, test } from 'vitest';
import { missingLibraries, namesInThisRelease, packagesFor } from './system-packages.mjs';

const LDD = `
	linux-vdso.so.1 (0x00007ffd)
	libffmpeg.so => /opt/electron/libffmpeg.so (0x00007f)
	libnss3.so => not found
	libnssutil3.so => not found
	libgtk-3.so.0 => not found
	libasound.so.2 => not found
	libasound.so.2 => not found
	libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x00007f)
`;

test('ldd names what it did not find, each library once', () => {
  expect(missingLibraries(LDD)).toEqual(['libasound.so.2', 'libgtk-3.so.0', 'libnss3.so', 'libnssutil3.so']);
});

test('libraries become packages, each once, and what is unknown is said', () => {
  expect(packagesFor([...missingLibraries(LDD), 'libnew.so.9'])).toEqual({
    packages: ['libasound2', 'libgtk-3-0', 'libnss3'],
    unknown: ['libnew.so.9'],
  });
});

test('a release that rebuilt packages for 64-bit time is asked for their new names', () => {
  const policy = [
    'libasound2t64:',
    '  Installed: (none)',
    '  Candidate: 1.2.11-1build2',
    'libgtk-3-0t64:',
    '  Installed: 3.24.41',
    '  Candidate: 3.24.41',
    'libold0t64:',
    '  Installed: (none)',
    '  Candidate: (none)',
  ].join('\n');
  expect(namesInThisRelease(['libasound2', 'libgtk-3-0', 'libnss3', 'libold0'], policy)).toEqual([
    'libasound2t64',
    'libgtk-3-0t64',
    'libnss3',
    'libold0',
  ]);
});

test('a release that knows none of the new names keeps the old ones', () => {
  expect(namesInThisRelease(['libasound2', 'xvfb'], '')).toEqual(['libasound2', 'xvfb']);
});
