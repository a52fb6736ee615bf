import { expect, it } from 'vitest';
import { handTurnedTime } from '../../service/testing/hand-turned-time';
import { readBroker } from '../../settings/broker-address';
import type { Fact } from '../../status/facts';
import { toldAfter } from '../../status/testing/example-status';
import { reportLink } from './report-link';

const broker = readBroker('mqtts://broker.example');
const STATE = 'endcap/00112233aabbccdd/state';
const PROOF = 'endcap/00112233aabbccdd/proof';
const REPLY = 'endcap/00112233aabbccdd/reply';

function connected() {
  const facts: Fact[] = [];
  const nothing = { versions: () => ({}), current: () => null };
  const { clock, pass } = handTurnedTime(0);
  const report = reportLink((fact) => void facts.push(fact), clock, nothing, nothing);
  if (broker) report.trying(broker);
  report.connected(5);
  const failed = (times: number, topic = STATE, why = 'Publish error: Quota exceeded') => {
    for (let count = 0; count < times; count += 1) report.published(topic, false, why);
  };
  return {
    report,
    failed,
    pass,
    fleet: () => toldAfter(facts).fleet,
    problem: () => toldAfter(facts).attention[0],
    problems: () => toldAfter(facts).attention.map(({ code }) => code),
    advice: () => toldAfter(facts).attention.map(({ advice }) => advice),
    lastError: () => toldAfter(facts).fleet?.lastError,
  };
}

it('a broker that takes none of the messages is a problem with its reason, until it takes one', () => {
  const { report, failed, problem, problems } = connected();
  failed(7);
  report.look();
  expect(problems()).toEqual([]);
  failed(1);
  report.look();
  expect(problems()).toEqual(['fleet-refused']);
  expect(problem()?.message).toContain('Quota exceeded');
  report.published(STATE, true);
  report.look();
  expect(problems()).toEqual([]);
});

it('a topic whose messages the broker does not take is a problem that names it, whatever it takes on others', () => {
  const { report, failed, problem, problems } = connected();
  for (let round = 0; round < 8; round += 1) {
    failed(1, PROOF, 'Publish error: Not authorized');
    failed(1, REPLY);
    report.published(STATE, true);
  }
  report.look();
  expect(problems()).toEqual(['fleet-refused']);
  expect(problem()?.message).toContain(`${PROOF} (Publish error: Not authorized)`);
  expect(problem()?.message).toContain(`${REPLY} (Publish error: Quota exceeded)`);
  expect(problem()?.message).not.toContain(STATE);
  report.published(PROOF, true);
  report.look();
  expect(problem()?.message).not.toContain(PROOF);
  expect(problem()?.message).toContain(REPLY);
  report.published(REPLY, true);
  report.look();
  expect(problems()).toEqual([]);
});

it('a topic that the broker refused is no problem of the next connection', () => {
  const { report, failed, problems } = connected();
  failed(8, PROOF);
  report.failed({ at: 'network', code: 'closed', message: 'the broker closed the connection' });
  report.connected(5);
  report.look();
  expect(problems()).toEqual([]);
});

it('blocks that an unknown key signed are a problem, until their topic has others, or another connection brings none', () => {
  const { report, problems } = connected();
  report.blocks('all', 'unknown-key');
  report.blocks('berlin', 'superseded');
  expect(problems()).toEqual(['fleet-blocks']);
  report.blocks('all', null);
  expect(problems()).toEqual([]);
  report.blocks('berlin', 'unknown-key');
  report.connected(5);
  expect(problems()).toEqual([]);
});

it('messages that were on their way when the connection broke are no problem, however many', () => {
  const { report, failed, problems } = connected();
  failed(200);
  report.failed({ at: 'network', code: 'closed', message: 'the broker closed the connection' });
  expect(problems()).toEqual([]);
  failed(200);
  report.look();
  expect(problems()).toEqual([]);
});

it('messages that fail because the connection breaks are no problem, however often it does', () => {
  const { report, failed, problems } = connected();
  for (let loss = 0; loss < 5; loss += 1) {
    failed(4);
    report.failed({ at: 'network', code: 'closed', message: 'the broker closed the connection' });
    report.connected(5);
    report.look();
  }
  expect(problems()).toEqual([]);
});

it('the advice on a refused certificate names the setting', () => {
  const { report, lastError } = connected();
  report.failed({ at: 'refused', code: 'client-certificate', message: '' });
  expect(lastError()?.advice).toContain('fleet.clientCertFile');
});

it('the advice on a closed connection names a kiosk with the same key, which takes the connection over', () => {
  const { report, lastError } = connected();
  report.failed({ at: 'network', code: 'closed', message: 'the broker closed the connection' });
  expect(lastError()?.advice).toContain('another kiosk has the same key, for example from a copied disk');
});

it('a link that was lost more than an hour ago is a problem however often it was tried, until it is back for a minute', () => {
  const { report, pass, fleet, problems, advice, lastError } = connected();
  const lost = { at: 'network', code: 'closed', message: 'the broker closed the connection' } as const;
  pass(60_000);
  report.failed(lost);
  pass(1_800_000);
  report.failed(lost);
  pass(1_800_000);
  report.look();
  expect(problems()).toEqual([]);
  pass(1);
  report.look();
  expect(problems()).toEqual(['fleet-link']);
  expect(advice()).toEqual([lastError()?.advice]);
  expect(fleet()).toMatchObject({ connected: false, since: 60_000 });
  report.connected(4);
  expect(problems()).toEqual(['fleet-link']);
  pass(60_000);
  report.look();
  expect(problems()).toEqual([]);
  const link = { connected: true, mqtt: '3.1.1', since: 3_660_001 };
  expect(fleet()).toMatchObject({ ...link, broker: expect.stringContaining('broker.example') });
});

it.each([
  ['refused-135', /fleet\.username/],
  ['refused-5', /fleet\.username/],
  ['refused-142', /another kiosk has the same key/],
  ['refused-154', /Check the broker, its limits/],
  ['too-long-packet', /Check the broker, its limits/],
  ['refused-137', /Check the broker, its limits/],
  ['refused-3', /Check the broker, its limits/],
])('the advice on the reason %s of a broker is about that reason', (code, advice) => {
  const { report, lastError } = connected();
  report.failed({ at: 'refused', code, message: '' });
  expect(lastError()?.advice).toMatch(advice);
});

it('connections that end before they have lasted a minute are a problem after an hour, and one that lasts is none', () => {
  const { report, pass, problems } = connected();
  const loseAfter = (ms: number) => {
    pass(ms);
    report.failed({ at: 'network', code: 'closed', message: 'the broker closed the connection' });
  };
  loseAfter(3_600_000);
  expect(problems()).toEqual([]);
  for (let minute = 0; minute < 60; minute += 1) {
    pass(59_000);
    report.connected(5);
    loseAfter(1_500);
  }
  expect(problems()).toEqual(['fleet-link']);
  report.connected(5);
  // Also in what the fleet sees over such a connection.
  expect(problems()).toEqual(['fleet-link']);
  pass(60_000);
  report.look();
  expect(problems()).toEqual([]);
  loseAfter(0);
  expect(problems()).toEqual([]);
});
