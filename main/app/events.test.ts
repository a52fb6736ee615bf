import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { type AppEvents, onPress } from './events';

it('presses are told without mouse moves, which a vibration can cause', () => {
  const events = new EventEmitter<AppEvents>();
  const told: string[] = [];
  let type = '';
  onPress(events, () => told.push(type));
  for (type of ['mouseMove', 'mouseEnter', 'mouseDown', 'mouseUp', 'touchStart', 'keyDown'])
    events.emit('input', type);
  expect(told).toEqual(['mouseDown', 'touchStart', 'keyDown']);
});
