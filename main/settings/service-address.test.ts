import { expect, test } from 'vitest';
import { addressExpectation, isLoopbackHost, mayCarrySecrets, normalAddress } from './service-address';

test.each([
  ['localhost', true],
  ['LOCALHOST', true],
  ['kiosk.localhost', true],
  ['127.0.0.1', true],
  ['127.255.255.254', true],
  ['[::1]', true],
  ['localhost.example.com', false],
  ['127.0.0.1.example.com', false],
  ['10.0.0.1', false],
  ['[::2]', false],
  ['example.com', false],
])('%s is loopback: %s', (host, loopback) => {
  expect(isLoopbackHost(host)).toBe(loopback);
});

test.each([
  ['https://ads.example.com', true],
  ['http://127.0.0.1:8080/x', true],
  ['http://ads.example.com', false],
  ['http://192.168.0.10', false],
  ['ws://localhost', false],
])('%s may carry secrets: %s', (address, may) => {
  expect(mayCarrySecrets(address)).toBe(may);
});

test.each([
  ['ads.example.com', /^an http\(s\) address/],
  ['ftp://ads.example.com', /^an http\(s\) address/],
  ['https://me:pw@ads.example.com', /^an address without a user name or password/],
  ['https://a.example/?k=v', /^an address without "\?"/],
  ['', /^an http\(s\) address/],
])('%j is no service address, and what is expected is said', (address, words) => {
  expect(addressExpectation(address)).toMatch(words);
});

test.each([
  ['https://Ads.Example.com/', 'https://ads.example.com'],
  ['https://ads.example.com:443/api//', 'https://ads.example.com/api'],
  ['http://127.0.0.1:80', 'http://127.0.0.1'],
])('%s is normalized to %s', (address, normal) => {
  expect(addressExpectation(address)).toBeNull();
  expect(normalAddress(address)).toBe(normal);
});
