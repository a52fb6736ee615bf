import { expect, it } from 'vitest';
import { createEmitter } from './events';

interface Events {
  counted: [by: number];
  ended: [];
}

it('calls the listeners of an event, in their order, and those of no other', () => {
  const events = createEmitter<Events>();
  const heard: unknown[] = [];
  events.emit('counted', 1);
  events.on('counted', (by) => heard.push(['first', by]));
  events.on('counted', (by) => heard.push(['second', by]));
  events.on('ended', () => heard.push('ended'));
  events.emit('counted', 2);
  expect(heard).toEqual([
    ['first', 2],
    ['second', 2],
  ]);
});

it('waits for the first event that matches', async () => {
  const events = createEmitter<Events>();
  const heard: string[] = [];
  const waiting = events.first('counted', (by) => by > 1).then(() => heard.push('two'));
  events.emit('counted', 1);
  await Promise.resolve();
  expect(heard).toEqual([]);
  events.emit('counted', 2);
  await waiting;
  expect(heard).toEqual(['two']);
});
