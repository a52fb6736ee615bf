import { bytesOf } from '../../../main/media/structure/byte-source';
import { checkStructure } from '../../../main/media/structure/check-structure';
import { readMetadata } from '../../../main/service/ads-reading/metadata';
import { readAds } from '../../../main/service/ads-reading/read-ads';
import { readVast } from '../../../main/service/ads-reading/vast';
import { readNativeAnswer } from '../../../main/service/native/native-answer';
import { readVastVideo } from '../../../main/service/native/vast-video';
import { serviceMessage } from '../../../main/service/service-message';

/** The readers of documents and media, called as the kiosk calls them. */
export const READ = {
  ads: (text: string): unknown => readAds(text),
  vast: (text: string): unknown => readVast(text, { extensionType: null }),
  metadata: (text: string): unknown => readMetadata(text),
  native: (text: string): unknown =>
    readNativeAnswer(text, {
      adcount: 20,
      answerId: 'answer',
      receivedAt: 0,
      readVideo: (vast) => readVastVideo(vast, null),
    }),
  'service-message': (text: string): unknown => serviceMessage(text, ['a secret', 'aa']),
  page: (bytes: Uint8Array): unknown => checkStructure(bytesOf(bytes), 'page'),
  media: (bytes: Uint8Array): unknown => checkStructure(bytesOf(bytes)),
};
