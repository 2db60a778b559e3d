import { styleSheet } from '../../shell/style-sheet.ts'
import url from '../../styles/connect.page.css'

await styleSheet(url)
