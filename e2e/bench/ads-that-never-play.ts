import type { DemoAdInput } from '../../main/demo-service/demo-ad';

/** This many ads of these files in turn that are read, stored and judged, but never play: their cap is zero. */
export const adsThatNeverPlay = (count: number, files: readonly string[]): DemoAdInput[] =>
  Array.from({ length: count }, (_, index) => {
    const name = files[index % files.length] ?? '';
    const type = name.endsWith('.png') ? 'image/png' : 'video/mp4';
    return {
      id: `filler-${index}`,
      durationSeconds: 10,
      media: [{ name, type, width: 1280, height: 720 }],
      metadata: {
        flight_id: `filler-${index}`,
        source_id: 'cms',
        frequency_caps: [{ window: 'FREQUENCY_CAP_WINDOW_DAY', limit: 0 }],
      },
    };
  });
