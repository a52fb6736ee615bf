import { createStore } from 'zustand/vanilla';
import type { LinkFrame } from '../../shared/link';
import type { NativeCardContent } from '../../shared/native';
import type { Announcement, GuestCommand, StaffCorner } from '../../shared/stage';

export type Fit = 'fill' | 'letterbox';

/** Sizes in px. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A native ad's markup in the frame of its card. */
export interface Banner {
  readonly url: string;
  readonly partition: string;
  /** The size that the markup is made for, px. */
  readonly size: Size;
}

export type LayerContent =
  | { readonly kind: 'nothing' }
  | {
      readonly kind: 'image';
      readonly url: string;
      /** If it is not animated. The bitmap is closed once it is drawn. */
      readonly pixels: ImageBitmap | null;
      /** Null: not loaded yet. */
      readonly fit: Fit | null;
    }
  | { readonly kind: 'video'; readonly fit: Fit | null }
  | { readonly kind: 'page'; readonly url: string; readonly partition: string }
  | {
      readonly kind: 'card';
      readonly content: NativeCardContent;
      readonly language: string;
      /** The content of the card's frame; null: none, or not loaded yet. */
      readonly framed: 'video' | Banner | null;
      /** Pixels of its picture if it is not animated. The bitmap is closed once the card is drawn. */
      readonly pixels: ImageBitmap | null;
    };

export const NOTHING: LayerContent = { kind: 'nothing' };

export interface View {
  /** Lies over the layers of the stage. */
  card: { kind: 'none' } | { kind: 'brand' } | { kind: 'message'; title: string; text: string };
  /** The link view or QR code that a tap on an ad opened; it lies over layers and cards. */
  link: LinkFrame | null;
  /** The fleet operator's announcement; it lies over `link`. */
  announcement: Announcement | null;
  /** The admin overlay, or its maintenance card, lies over the stage. */
  covered: boolean;
  /** Of the picture on the screen, degrees clockwise. */
  rotation: 0 | 90 | 180 | 270;
  /** Language tag of the texts for shoppers, from the settings. */
  language: string;
  /** Native cards take no taps there. */
  corner: StaffCorner;
  /** Guests of JavaScript beacons. */
  guests: ReadonlyArray<Extract<GuestCommand, { type: 'open' }>>;
}

export const view = createStore<View>(() => ({
  card: { kind: 'none' },
  link: null,
  announcement: null,
  covered: false,
  rotation: 0,
  language: 'en',
  corner: 'top-left',
  guests: [],
}));
