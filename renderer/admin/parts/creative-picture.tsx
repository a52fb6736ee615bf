import { useState } from 'react';
import type { AdminShowing } from '../../../shared/admin';
import type { ShowingKind } from '../../../shared/play';
import { Icon, type IconName } from './icon';

const FACES: Readonly<Record<ShowingKind, IconName>> = {
  ad: 'film',
  native: 'ads',
  house: 'store',
  card: 'home',
};

/** A small still picture of a creative; an icon of its kind where there is none. */
export function CreativePicture({ picture, kind }: Pick<AdminShowing, 'picture'> & { kind: ShowingKind }) {
  const [isGone, setGone] = useState(false);
  const lose = () => setGone(true);
  // Hidden from screen readers: the name stands beside it.
  return (
    <span className="a-picture a-centre" aria-hidden="true">
      {picture === null || isGone ? (
        <Icon name={FACES[kind]} />
      ) : picture.kind === 'image' ? (
        <img className="a-picture-seen a-fill" src={picture.url} alt="" decoding="async" onError={lose} />
      ) : (
        <video
          ref={freesDecoder}
          className="a-picture-seen a-fill"
          src={picture.url}
          muted
          preload="metadata"
          onError={lose}
        />
      )}
    </span>
  );
}

/** Chromium frees a decoder when its source is removed, not when its element is. */
function freesDecoder(video: HTMLVideoElement | null) {
  return () => {
    video?.removeAttribute('src');
    video?.load();
  };
}
