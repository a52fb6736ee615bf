import { createStore } from 'zustand/vanilla';

/** What lies over the stage's layers, and how the screen is turned. */
export interface View {
  card: { kind: 'none' } | { kind: 'brand' } | { kind: 'message'; title: string; text: string };
  rotation: 0 | 90 | 180 | 270;
}

export const view = createStore<View>(() => ({ card: { kind: 'brand' }, rotation: 0 }));
