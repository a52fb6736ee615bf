import { expect, it } from 'vitest';
import { hiddenFolders, namedSettings } from './service-unit';

it.each([
  ['ProtectHome=yes\nPrivateTmp=yes\n', ['/home', '/root', '/run/user', '/tmp', '/var/tmp']],
  // As a drop-in of the operator may say.
  ['PrivateTmp=yes\nProtectHome=read-only\n', ['/tmp', '/var/tmp']],
  ['PrivateTmp=no\nProtectHome=no\n', []],
  ['', []],
])('reads from %j what the unit hides', (shown, hidden) => {
  expect(hiddenFolders(shown)).toEqual(hidden);
});

it.each([
  ['#ENDCAP_CONFIG=/a.json\nENDCAP_ARGUMENTS="--disable-gpu"\n', undefined],
  ['ENDCAP_CONFIG=/a.json\nENDCAP_CONFIG="/b c.json"\n', '/b c.json'],
  ["ENDCAP_CONFIG='/a.json'\nENDCAP_ARGUMENTS='--disable-gpu --config=/c.json'\n", '/c.json'],
  ['ENDCAP_ARGUMENTS=--config /c.json --disable-gpu', '/c.json'],
  ['ENDCAP_CONFIG=/a.json \n', '/a.json'],
])('reads from %j which settings the kiosk uses', (defaults, file) => {
  expect(namedSettings(defaults)).toBe(file);
});
