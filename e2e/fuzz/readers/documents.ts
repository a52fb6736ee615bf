import { looksLikeWebPage } from '../../../main/service/service-message';
import { JSON_WORDS, textReader } from '../fuzz-reader';
import { called } from './reading';

const METADATA = JSON.stringify({
  request_id: 'r',
  flight_id: 'f',
  expires_at: '2026-11-20T09:30:00Z',
  audience: {
    targeting_groups: [
      {
        conditions: [
          {
            demographic: {
              profiles: [
                {
                  gender: 'GENDER_FEMALE',
                  group_size: { operator: 'COUNT_COMPARISON_OPERATOR_EQUAL', value: 2 },
                },
              ],
            },
          },
          { device: { basket: { skus: ['1'], items: ['milk'] } } },
          { store: { weather_types: ['WEATHER_TYPE_SUNNY'] } },
        ],
      },
    ],
  },
  frequency_caps: [{ limit: 3, window: 'FREQUENCY_CAP_WINDOW_DAY' }],
  source_id: 's',
});

const VAST =
  '<?xml version="1.0"?><VAST version="4.2"><Ad id="1" sequence="1"><InLine><AdTitle>t</AdTitle>' +
  '<Impression><![CDATA[https://a.example/i?t=[TIMESTAMP]]]></Impression><Error>https://a.example/e</Error>' +
  '<Creatives><Creative><Linear><Duration>00:00:10</Duration><TrackingEvents>' +
  '<Tracking event="progress" offset="25%">https://a.example/p</Tracking></TrackingEvents><MediaFiles>' +
  '<MediaFile type="video/mp4" width="1280" height="720" delivery="progressive">https://a.example/v.mp4' +
  '</MediaFile></MediaFiles></Linear></Creative></Creatives><Extensions>' +
  `<Extension type="service-metadata"><![CDATA[${METADATA}]]></Extension></Extensions></InLine></Ad>` +
  '<Ad id="2"><Wrapper><VASTAdTagURI>https://a.example/w</VASTAdTagURI></Wrapper></Ad></VAST>';

const XML_WORDS = [
  ...['<Ad>', '</Ad>', '<Ad id="', '<InLine>', '<Wrapper>', '<Linear>', '<Impression>', '</Impression>'],
  ...['<Extension type="service-metadata">', '</Extension>', '<![CDATA[', ']]>', ']]', '<!--', '-->', '--'],
  ...['<?xml ', '?>', '<!DOCTYPE a [', '<!ENTITY a "b">', '&amp;', '&#x41;', '&#1114112;', '&a;', '&', '='],
  ...['<a>', '<a', '</a>', '<a b="', "='", ' b="c"', ':', 'xmlns:a="b"', '00:00:10.000', '25%', '%'],
];

const NATIVE = JSON.stringify({
  status: 'ok',
  ads: [
    {
      link: 'app://open?u=https%3A%2F%2Fa.example',
      assetgroupid: 7,
      assets: [
        { type: 'icon', data: { w: 80, h: 80, url: 'https://a.example/i.png' } },
        { type: 'title', data: { text: 't' } },
        { type: 'banner', data: { w: 80, h: 80, url: 'https://a.example/b.png' } },
        { type: 'htmlbanner', data: { w: 320, h: 50, html: '<b>x</b>' } },
        { type: 'rating', data: 4.5 },
        { type: 'vast2', data: { vast2: VAST } },
      ],
      meta: [
        { type: 'revenuemodel', data: 'cpa' },
        { type: 'contentinfo', data: { link: 'https://a.example', icon: 'https://a.example', text: 'i' } },
      ],
      beacons: [
        { type: 'impression', data: { url: 'https://a.example/b' } },
        { type: 'impression', data: { js: 'x()' } },
        { type: 'click', data: { url: 'https://a.example/c' } },
      ],
    },
  ],
});

/** Text formats of the service and its ads. */
export const DOCUMENT_READERS = [
  textReader({
    name: 'ads',
    seeds: [VAST, '<VAST/>'],
    words: XML_WORDS,
    read: called('ads'),
  }),
  textReader({
    name: 'vast',
    seeds: [VAST, '<VAST version="2.0"/>'],
    words: XML_WORDS,
    read: called('vast'),
  }),
  textReader({
    name: 'metadata',
    seeds: [METADATA, '{}'],
    words: [...JSON_WORDS, '"audience":', '"limit":'],
    read: called('metadata'),
  }),
  textReader({
    name: 'native',
    seeds: [NATIVE, '{"status":"ok","ads":[]}', '{"status":"error","error_message":"no"}'],
    words: [
      ...JSON_WORDS,
      '"assets":',
      '"beacons":',
      '"type":"',
      '"data":',
      '"jsondata":"',
      '{"type":"title","data":{}},',
    ],
    read: called('native'),
  }),
  textReader({
    name: 'service-message',
    seeds: [
      '{"code":7,"message":"no","details":[]}',
      '{"error":"invalid_client","error_description":"Bearer eyJhbGciOi.J9"}',
      'plain words',
    ],
    words: [
      ...JSON_WORDS,
      'eyJ',
      'eyJ-',
      'eyJ.',
      'Bearer ',
      'Bearer',
      'secret',
      '=',
      '&',
      '.',
      '-',
      'a secret',
      'token=',
      '\n',
    ],
    read: called('service-message'),
    judge: (result) =>
      typeof result === 'string' && result.includes('a secret') ? 'a secret is in the message' : null,
  }),
  textReader({
    name: 'web-page',
    seeds: ['<?xml version="1.0"?><!-- a --><html>', '<!DOCTYPE html>'],
    words: ['<?xml', '?>', '<!--', '-->', '--', '<html', '<', '>', ' ', '\n', '\uFEFF', '<!doctype'],
    read: looksLikeWebPage,
  }),
];
