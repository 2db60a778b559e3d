import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/maps.page.css'

await styleSheet(url)
