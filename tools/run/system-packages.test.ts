import { expect, test } from 'vitest';
import { ensureSystemPackages, missingLibraries } from './system-packages.ts';

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

test('a command says off Linux that it is for Linux, and what it lacks', async () => {
  await expect(ensureSystemPackages(['no-such-program'], undefined, 'darwin')).rejects.toThrow(
    'endcap: this command is for Linux: it needs no-such-program',
  );
  await ensureSystemPackages(['sh'], undefined, 'darwin');
});
