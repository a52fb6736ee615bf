import { expect, it } from 'vitest';
import { listedWindows } from './windows';

const LISTING = `
xwininfo: Window id: 0x50a (the root window) (has no name)

  Root window id: 0x50a (the root window) (has no name)
  Parent window id: 0x0 (none)
     5 children:
     0x200003 "Endcap": ("endcap" "Endcap")  1280x720+0+0  +0+0
     0x200007 "Error: it is 5x5 (sic)": ("electron" "Electron")  420x180+430+270  +430+270
     0x200001 "endcap": ("endcap" "Endcap")  10x10+10+10  +10+10
     0x400002 (has no name): ()  300x200+-5+-5  +-5+-5
     0x200006 (has no name): ()  1x1+-1+-1  +-1+-1
`;

it('the list of windows has all visible ones, including dialogs and windows without a name', () => {
  expect(listedWindows(LISTING).map(({ id, width, height }) => [id, width, height])).toEqual([
    ['0x200003', 1280, 720],
    ['0x200007', 420, 180],
    ['0x400002', 300, 200],
  ]);
  expect(listedWindows(LISTING)[1]?.name).toContain('Error');
});
