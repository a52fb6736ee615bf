/** Whom a command or a blocks document is for: one kiosk, a group, or all. It is the `aud` of the signed payload. */
export type Addressee = `kiosk:${string}` | `group:${string}` | 'all';

/** A group's name: one topic level, without wildcards. */
export const GROUP_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
export const KIOSK_NAME = /^[0-9a-f]{16}$/;

export type FleetTopics = ReturnType<typeof fleetTopics>;

/** The topics of one kiosk, which are named after the fingerprint of its signing key. */
export function fleetTopics(prefix: string, kiosk: string) {
  const of = (name: string) => `${prefix}/${kiosk}/${name}`;
  return {
    /** This one and the next three are retained; their messages: `messages.ts`. */
    state: of('state'),
    now: of('now'),
    proof: of('proof'),
    inventory: of('inventory'),
    /** Answers to commands; not retained. */
    reply: of('reply'),
  };
}

/** Where an addressee's commands, or its retained blocks, are published. */
export function addressTopic(prefix: string, to: Addressee, name: 'command' | 'blocks'): string {
  if (to === 'all') return `${prefix}/all/${name}`;
  const [kind, id] = to.split(':');
  return kind === 'group' ? `${prefix}/groups/${id}/${name}` : `${prefix}/${id}/${name}`;
}

export const addresseesOf = (kiosk: string, groups: readonly string[]): Addressee[] => [
  `kiosk:${kiosk}`,
  ...groups.map((group): Addressee => `group:${group}`),
  'all',
];
