import type { System } from '../kernel/system.ts'
import type { AnyTransfer } from '../kernel/transfer.ts'
import { createFogImages, type FogImageParts, type FogImages } from '../storage/images-of-maps.ts'
import type { Store } from '../storage/store.ts'
import { attachmentTransfers } from './attachments.ts'
import { mapImageTransfers } from './map-images.ts'

export interface Pictures {
  /** Images of maps, painted over where there is fog. */
  readonly ofMaps: FogImages
  transfers(system: () => System): readonly AnyTransfer[]
}

/** Pictures that people uploaded, and what players get of those that are maps. */
export function joinPictures({ store, ...parts }: FogImageParts & { store(): Store }): Pictures {
  const ofMaps = createFogImages(parts)
  return {
    ofMaps,
    transfers: (system) => [
      ...attachmentTransfers({ system, store, images: parts.images }),
      ...mapImageTransfers({ system, store, images: ofMaps }),
    ],
  }
}
