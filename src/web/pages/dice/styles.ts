import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/game.page.css'

await styleSheet(url)
