import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type HostileService, startHostileService } from './hostile-service';

let service: HostileService;
beforeEach(async () => {
  service = await startHostileService();
  service.demo.setMedia('a.png', Buffer.from('a picture'), 'image/png');
});
afterEach(() => service.close());

const picture = (origin = service.origin) => fetch(`${origin}/media/a.png`);

describe('the hostile service', () => {
  it('answers as the demo service does, on both addresses', async () => {
    for (const origin of [service.origin, service.otherOrigin]) {
      const response = await picture(origin);
      expect([response.status, await response.text()]).toEqual([200, 'a picture']);
      expect(response.headers.get('content-type')).toBe('image/png');
      expect(Date.parse(response.headers.get('date') ?? '')).toBeGreaterThan(0);
    }
    expect((await fetch(`${service.origin}/media/a.png`, { method: 'HEAD' })).status).toBe(200);
  });

  it('changes answers or sends its own until the attack ends', async () => {
    service.change((_request, answer) => ({ ...answer, headers: { ...answer.headers, date: 'never' } }));
    service.answer(({ path }, response) => {
      if (path !== '/hostile') return false;
      response.writeHead(418).end();
      return true;
    });
    expect((await picture()).headers.get('date')).toBe('never');
    expect((await fetch(`${service.origin}/hostile`)).status).toBe(418);
    expect(service.heard().map(({ path }) => path)).toEqual(['/media/a.png', '/hostile']);
    service.behave();
    expect((await picture()).headers.get('date')).not.toBe('never');
    expect((await fetch(`${service.origin}/hostile`)).status).not.toBe(418);
  });

  it('refuses all connections until the attack ends', async () => {
    await picture();
    service.refuse();
    await expect(picture()).rejects.toThrow();
    service.behave();
    expect((await picture()).status).toBe(200);
  });

  it('passes on how an answer is cut off', async () => {
    service.demo.setFaults({ media: { kind: 'truncate', afterBytes: 3 } });
    await expect(picture().then((response) => response.text())).rejects.toThrow();
  });
});
