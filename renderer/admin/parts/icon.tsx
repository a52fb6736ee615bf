import { Drawing, KEY_ICONS } from '../../keyboard/keyboard';

const PATHS = {
  home: 'M4 11.5 12 5l8 6.5M6.5 10v9h11v-9M10 19v-5h4v5',
  ads: 'M4 5.5h16v11H4zM9 20h6M9.8 9.2a2.3 2.3 0 1 1 3.2 2.1c-.7.3-1 .8-1 1.5M12 14.6v.1',
  close: 'M6 6l12 12M18 6 6 18',
  lock: 'M6.5 11h11v8.5h-11zM8.8 11V8a3.2 3.2 0 0 1 6.4 0v3M12 14.5v1.8',
  pause: 'M8.5 5.5v13M15.5 5.5v13',
  resume: 'M8 5.2v13.6L18.5 12z',
  skip: 'M6 5.5v13L15 12zM18 5.5v13',
  refresh: 'M19 12a7 7 0 1 1-2.1-5M17.2 3v4.2H13',
  sound: 'M4.5 9.5v5H8l4.5 4v-13L8 9.5zM15.5 9a4.2 4.2 0 0 1 0 6M18 6.5a7.8 7.8 0 0 1 0 11',
  display: 'M4.5 5h15v10.5h-15zM9 19.5h6M12 15.5v4M12 7.5v2.6M9.9 8.6a2.6 2.6 0 1 0 4.2 0',
  'clear-media': 'M5 7h14M9.5 7V4.5h5V7M7 7l.9 12.5h8.2L17 7M10.3 10.5v5.5M13.7 10.5v5.5',
  'connection-test':
    'M3.8 9.4a12 12 0 0 1 16.4 0M6.8 12.6a7.6 7.6 0 0 1 10.4 0M9.8 15.8a3.2 3.2 0 0 1 4.4 0M12 19v.1',
  'restart-player': 'M12 4.5v6.5M7.3 7.2a7 7 0 1 0 9.4 0',
  'restart-kiosk': 'M4.5 5h15v10.5h-15zM9 19.5h6M12 15.5v4M14.8 10.2a2.8 2.8 0 1 1-.9-2M14.2 6.6v1.7h-1.8',
  leave: 'M13 4.5H5.5v15H13M10.5 12H20M16.5 8.5 20 12l-3.5 3.5',
  'change-pin':
    'M14.8 4.5a4.7 4.7 0 1 0 0 9.4 4.7 4.7 0 0 0 0-9.4M11.3 12.5 4.5 19.3M7 17l2.2 2.2M15.8 8.2v.1',
  'set-up':
    'M14.5 6.5a4.2 4.2 0 0 0-5.6 5.1L4 16.5 7.5 20l4.9-4.9a4.2 4.2 0 0 0 5.1-5.6l-2.6 2.6-2.5-.6-.6-2.5z',
  autostart: 'M12 3.5v7M7.5 6.5a7.5 7.5 0 1 0 9 0M10 14l2 2 3.5-3.5',
  export: 'M12 14.5v-10M8.5 8 12 4.5 15.5 8M5 14v5.5h14V14',
  check: 'M5.5 12.5 10 17l8.5-9.5',
  warning: 'M12 4.5 3.5 19h17zM12 10v4.2M12 16.6v.1',
  wait: 'M12 7.5V12l3 2M12 4a8 8 0 1 0 0 16 8 8 0 0 0 0-16',
  store: 'M4.5 6.5h15v4h-15zM4.5 13.5h15v4h-15zM7.5 8.5v.1M7.5 15.5v.1',
  moon: 'M19 14.5A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.5',
  search: 'M10.5 5a5.5 5.5 0 1 0 0 11 5.5 5.5 0 0 0 0-11M14.6 14.6 19.5 19.5',
  ...KEY_ICONS,
  film: 'M4 5.5h16v13H4zM8 5.5v13M16 5.5v13M4 10h4M4 14h4M16 10h4M16 14h4',
} as const;

/** An icon of this list, or an SVG path in a box of 24 by 24. */
export type IconName = keyof typeof PATHS | `M${string}`;

export function Icon({ name }: { name: IconName }) {
  return <Drawing path={name in PATHS ? PATHS[name as keyof typeof PATHS] : name} />;
}
