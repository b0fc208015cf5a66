"""Places by name, in English and Chinese: what the recogniser of entities knows without a model.

In: nothing. Out: word lists, read when first asked for. `=` joins the two names of one place, `_`
stands for a blank. Not a gazetteer: countries, and the cities that people speak of.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from smartbrain.text.word_list import word_set

_COUNTRIES: Final = """
China=中国 Japan=日本 South_Korea=韩国 North_Korea=朝鲜 Korea Mongolia=蒙古国 India=印度
Pakistan=巴基斯坦 Nepal=尼泊尔 Bhutan=不丹 Bangladesh=孟加拉国 Sri_Lanka=斯里兰卡
Maldives=马尔代夫 Thailand=泰国 Vietnam=越南 Laos=老挝 Cambodia=柬埔寨 Myanmar=缅甸
Malaysia=马来西亚 Singapore=新加坡 Indonesia=印度尼西亚 Philippines=菲律宾 Brunei=文莱
Kazakhstan=哈萨克斯坦 Uzbekistan=乌兹别克斯坦 Afghanistan=阿富汗 Iran=伊朗 Iraq=伊拉克
Syria=叙利亚 Israel=以色列 Palestine=巴勒斯坦 Lebanon=黎巴嫩 Saudi_Arabia=沙特阿拉伯 Qatar=卡塔尔
Kuwait=科威特 Oman=阿曼 Yemen=也门 Bahrain=巴林 Türkiye=土耳其 Russia=俄罗斯 Ukraine=乌克兰
Belarus=白俄罗斯 Poland=波兰 Germany=德国 France=法国 Spain=西班牙 Portugal=葡萄牙 Italy=意大利
Greece=希腊 Austria=奥地利 Switzerland=瑞士 Belgium=比利时 Netherlands=荷兰 Holland
Luxembourg=卢森堡 Denmark=丹麦 Sweden=瑞典 Norway=挪威 Finland=芬兰 Iceland=冰岛 Ireland=爱尔兰
Scotland=苏格兰 England=英格兰 Wales=威尔士 Great_Britain=英国 Britain United_Kingdom
Hungary=匈牙利 Romania=罗马尼亚 Bulgaria=保加利亚 Serbia=塞尔维亚 Croatia=克罗地亚
Slovenia=斯洛文尼亚 Slovakia=斯洛伐克 Czechia=捷克 Czech_Republic Estonia=爱沙尼亚
Latvia=拉脱维亚 Lithuania=立陶宛 Albania=阿尔巴尼亚 Malta=马耳他 Cyprus=塞浦路斯 Monaco=摩纳哥
Egypt=埃及 Morocco=摩洛哥 Algeria=阿尔及利亚 Tunisia=突尼斯 Libya=利比亚 Sudan=苏丹
Ethiopia=埃塞俄比亚 Kenya=肯尼亚 Tanzania=坦桑尼亚 Uganda=乌干达 Rwanda=卢旺达 Nigeria=尼日利亚
Ghana=加纳 Senegal=塞内加尔 Cameroon=喀麦隆 Angola=安哥拉 Zambia=赞比亚 Zimbabwe=津巴布韦
Namibia=纳米比亚 South_Africa=南非 Madagascar=马达加斯加 Mauritius=毛里求斯 United_States=美国
America Canada=加拿大 Mexico=墨西哥 Cuba=古巴 Jamaica=牙买加 Haiti=海地 Panama=巴拿马
Costa_Rica=哥斯达黎加 Guatemala=危地马拉 Honduras=洪都拉斯 Colombia=哥伦比亚 Venezuela=委内瑞拉
Ecuador=厄瓜多尔 Peru=秘鲁 Bolivia=玻利维亚 Chile=智利 Argentina=阿根廷 Uruguay=乌拉圭
Paraguay=巴拉圭 Brazil=巴西 Australia=澳大利亚 New_Zealand=新西兰 Fiji=斐济 Greenland=格陵兰
Europe=欧洲 Asia=亚洲 Africa=非洲 South_America=南美洲 North_America=北美洲 Southeast_Asia=东南亚
Scandinavia Antarctica=南极洲 Middle_East=中东
"""

_CHINA: Final = """
Beijing=北京 Shanghai=上海 Guangzhou=广州 Shenzhen=深圳 Tianjin=天津 Chongqing=重庆
Hong_Kong=香港 Macau=澳门 Taiwan=台湾 Taipei=台北 Kaohsiung=高雄 Taichung=台中 Tainan=台南
Hangzhou=杭州 Nanjing=南京 Suzhou=苏州 Wuxi=无锡 Changzhou=常州 Nantong=南通 Yangzhou=扬州
Xuzhou=徐州 Ningbo=宁波 Wenzhou=温州 Shaoxing=绍兴 Jiaxing=嘉兴 Jinhua=金华 Yiwu=义乌 Hefei=合肥
Wuhu=芜湖 Huangshan=黄山 Fuzhou=福州 Xiamen=厦门 Quanzhou=泉州 Zhangzhou=漳州 Nanchang=南昌
Jiujiang=九江 Jingdezhen=景德镇 Jinan=济南 Qingdao=青岛 Yantai=烟台 Weihai=威海 Zibo=淄博
Weifang=潍坊 Zhengzhou=郑州 Luoyang=洛阳 Kaifeng=开封 Wuhan=武汉 Yichang=宜昌 Xiangyang=襄阳
Changsha=长沙 Zhuzhou=株洲 Zhangjiajie=张家界 Foshan=佛山 Dongguan=东莞 Zhuhai=珠海
Zhongshan=中山市 Huizhou=惠州 Shantou=汕头 Zhanjiang=湛江 Nanning=南宁 Guilin=桂林 Liuzhou=柳州
Beihai=北海 Haikou=海口 Sanya=三亚 Chengdu=成都 Mianyang=绵阳 Leshan=乐山 Guiyang=贵阳 Zunyi=遵义
Kunming=昆明 Dali=大理 Lijiang=丽江 Xishuangbanna=西双版纳 Lhasa=拉萨 Xi'an=西安 Xianyang=咸阳
Yan'an=延安 Lanzhou=兰州 Dunhuang=敦煌 Xining=西宁 Yinchuan=银川 Urumqi=乌鲁木齐 Kashgar=喀什
Hohhot=呼和浩特 Baotou=包头 Ordos=鄂尔多斯 Shijiazhuang=石家庄 Tangshan=唐山 Baoding=保定
Qinhuangdao=秦皇岛 Taiyuan=太原 Datong=大同市 Shenyang=沈阳 Dalian=大连 Changchun=长春
Harbin=哈尔滨 Jilin=吉林 Hebei=河北 Shanxi=山西 Liaoning=辽宁 Heilongjiang=黑龙江 Jiangsu=江苏
Zhejiang=浙江 Anhui=安徽 Fujian=福建 Jiangxi=江西 Shandong=山东 Henan=河南 Hubei=湖北 Hunan=湖南
Guangdong=广东 Hainan=海南 Sichuan=四川 Guizhou=贵州 Yunnan=云南 Shaanxi=陕西 Gansu=甘肃
Qinghai=青海 Inner_Mongolia=内蒙古 Guangxi=广西 Tibet=西藏 Ningxia=宁夏 Xinjiang=新疆 Pudong=浦东
=浦西 =海淀 =朝阳区 =中关村 =西湖 =外滩 =天安门 =故宫 =长城 =陆家嘴 =三里屯 =望京 =南山区 =九寨沟
=华山 =泰山 =峨眉山 =鼓浪屿 =洱海 =香格里拉 =稻城 =张家口 =承德 =大兴安岭 =长白山 =青海湖
=珠穆朗玛峰 =阳朔 =凤凰古城 =乌镇 =周庄 =千岛湖 =莫干山 =普陀山 =武夷山 =庐山 =九华山 =嵩山
=五台山 =平遥 =长江 =黄河 =江浙沪 =长三角 =珠三角 =大湾区
"""

_CITIES: Final = """
New_York=纽约 NYC Los_Angeles=洛杉矶 San_Francisco=旧金山 Silicon_Valley=硅谷 Bay_Area=湾区
San_Diego=圣地亚哥 San_Jose=圣何塞 Seattle=西雅图 Portland=波特兰 Las_Vegas=拉斯维加斯
Chicago=芝加哥 Boston=波士顿 Philadelphia=费城 Atlanta=亚特兰大 Miami=迈阿密 Denver=丹佛
Detroit=底特律 Minneapolis New_Orleans=新奥尔良 Honolulu=檀香山 Hawaii=夏威夷 Baltimore
Pittsburgh=匹兹堡 Cleveland Cincinnati Nashville Milwaukee Sacramento Salt_Lake_City Kansas_City
Brooklyn=布鲁克林 Manhattan=曼哈顿 Queens Oakland Berkeley Palo_Alto Mountain_View Cupertino
Raleigh Indianapolis St._Louis Tucson Albuquerque Anchorage Boulder California=加州 Texas=得州
Florida=佛罗里达 Ohio Oregon Michigan Illinois Pennsylvania Massachusetts New_Jersey=新泽西
Connecticut Colorado Arizona Nevada Utah Minnesota Wisconsin Tennessee Kentucky Louisiana Alabama
Mississippi Missouri Arkansas Oklahoma Kansas Nebraska Iowa Idaho Montana Wyoming Alaska=阿拉斯加
Vermont New_Hampshire Rhode_Island Delaware Maryland New_Mexico North_Carolina South_Carolina
West_Virginia North_Dakota South_Dakota Toronto=多伦多 Vancouver=温哥华 Montreal=蒙特利尔
Ottawa=渥太华 Calgary=卡尔加里 Edmonton Winnipeg Quebec=魁北克 Halifax Ontario=安大略
Mexico_City=墨西哥城 Cancun Guadalajara Havana=哈瓦那 London=伦敦 Manchester=曼彻斯特
Liverpool=利物浦 Birmingham=伯明翰 Leeds=利兹 Sheffield=谢菲尔德 Bristol=布里斯托 Cambridge=剑桥
Oxford=牛津 Edinburgh=爱丁堡 Glasgow=格拉斯哥 Cardiff=加的夫 Belfast Newcastle Nottingham
Brighton Southampton York Dublin=都柏林 Galway Limerick Paris=巴黎 Lyon=里昂 Marseille=马赛
Toulouse=图卢兹 Bordeaux=波尔多 Strasbourg=斯特拉斯堡 Lille Nantes Cannes=戛纳 Berlin=柏林
Munich=慕尼黑 Hamburg=汉堡市 Frankfurt=法兰克福 Cologne=科隆 Stuttgart=斯图加特
Düsseldorf=杜塞尔多夫 Leipzig=莱比锡 Dresden=德累斯顿 Heidelberg=海德堡 Hanover=汉诺威
Nuremberg=纽伦堡 Bonn=波恩 Freiburg Vienna=维也纳 Salzburg=萨尔茨堡 Graz Zurich=苏黎世 Zürich
Geneva=日内瓦 Basel=巴塞尔 Bern=伯尔尼 Lausanne=洛桑 Lucerne Amsterdam=阿姆斯特丹
Rotterdam=鹿特丹 The_Hague=海牙 Utrecht=乌得勒支 Eindhoven Delft Leiden Groningen
Brussels=布鲁塞尔 Antwerp=安特卫普 Ghent=根特 Bruges Copenhagen=哥本哈根 Aarhus
Stockholm=斯德哥尔摩 Gothenburg Malmö Uppsala Oslo=奥斯陆 Bergen=卑尔根 Trondheim
Helsinki=赫尔辛基 Tampere Espoo Reykjavik=雷克雅未克 Madrid=马德里 Barcelona=巴塞罗那
Seville=塞维利亚 Valencia=瓦伦西亚 Bilbao Granada Malaga Málaga Ibiza Mallorca Lisbon=里斯本
Porto=波尔图 Rome=罗马 Milan=米兰 Venice=威尼斯 Florence=佛罗伦萨 Naples=那不勒斯 Turin=都灵
Bologna=博洛尼亚 Verona=维罗纳 Palermo Pisa=比萨 Sicily=西西里 Tuscany Athens=雅典 Thessaloniki
Santorini=圣托里尼 Crete Prague=布拉格 Brno Budapest=布达佩斯 Warsaw=华沙 Krakow=克拉科夫 Kraków
Gdansk Gdańsk Wroclaw Wrocław Poznan Bucharest=布加勒斯特 Cluj Sofia=索非亚 Belgrade=贝尔格莱德
Zagreb=萨格勒布 Dubrovnik Ljubljana Bratislava Tallinn=塔林 Riga=里加 Vilnius=维尔纽斯
Moscow=莫斯科 St._Petersburg=圣彼得堡 Saint_Petersburg Kyiv=基辅 Lviv Minsk Istanbul=伊斯坦布尔
Ankara=安卡拉 Tel_Aviv=特拉维夫 Jerusalem=耶路撒冷 Dubai=迪拜 Abu_Dhabi=阿布扎比 Doha=多哈
Riyadh=利雅得 Beirut=贝鲁特 Tehran=德黑兰 Baghdad=巴格达 Damascus Amman Cairo=开罗 Alexandria
Casablanca=卡萨布兰卡 Marrakech Marrakesh Nairobi=内罗毕 Mombasa Lagos=拉各斯 Abuja Accra=阿克拉
Kampala Kigali Addis_Ababa Dakar Johannesburg=约翰内斯堡 Cape_Town=开普敦 Durban Pretoria
Tokyo=东京 Osaka=大阪 Kyoto=京都 Nara=奈良 Kobe=神户 Yokohama=横滨 Nagoya=名古屋 Sapporo=札幌
Hokkaido=北海道 Fukuoka=福冈 Hiroshima=广岛 Nagasaki=长崎 Okinawa=冲绳 Sendai Seoul=首尔
Busan=釜山 Incheon=仁川 Jeju=济州岛 Pyongyang=平壤 Bangkok=曼谷 Chiang_Mai=清迈 Phuket=普吉岛
Pattaya=芭提雅 Hanoi=河内 Ho_Chi_Minh_City=胡志明市 Saigon=西贡 Da_Nang=岘港 Phnom_Penh=金边
Siem_Reap Vientiane Yangon=仰光 Kuala_Lumpur=吉隆坡 Penang=槟城 Jakarta=雅加达 Bali=巴厘岛
Bandung Manila=马尼拉 Cebu=宿务 Delhi=德里 New_Delhi=新德里 Mumbai=孟买 Bangalore=班加罗尔
Bengaluru Chennai Hyderabad Kolkata Pune Jaipur Ahmedabad Goa Kathmandu=加德满都 Dhaka=达卡
Colombo=科伦坡 Karachi=卡拉奇 Lahore Islamabad Kabul Tashkent Almaty=阿拉木图 Astana
Ulaanbaatar=乌兰巴托 Sydney=悉尼 Melbourne=墨尔本 Brisbane=布里斯班 Perth=珀斯 Adelaide=阿德莱德
Canberra=堪培拉 Darwin Hobart Auckland=奥克兰 Wellington=惠灵顿 Christchurch=基督城 Queenstown
Rio_de_Janeiro=里约热内卢 Rio=里约 São_Paulo=圣保罗 Sao_Paulo Brasilia Buenos_Aires
=布宜诺斯艾利斯 Santiago=圣地亚哥 Lima=利马 Bogota Bogotá=波哥大 Medellin Medellín Quito Caracas
Montevideo Santa_Barbara Santa_Monica Santa_Fe Alps=阿尔卑斯 Himalayas=喜马拉雅山 Mount_Everest
Yellowstone=黄石公园 Yosemite Bavaria=巴伐利亚 Catalonia Normandy Provence=普罗旺斯 Lapland
Siberia=西伯利亚 Balkans Caribbean=加勒比 New_York_City=纽约市
"""

# Names that mean something else as often: they need a word such as "in" before them.
UNSURE_PLACES: Final = word_set(
    """
    austin charlotte phoenix florence victoria madison jackson lincoln washington georgia jordan
    chad nice reading bath cork split mobile orange turkey hull derby houston dallas orlando
    savannah sofia lima york queens granada darwin wellington valencia verona santiago rio
    america alexandria memphis boulder goa columbus richmond delaware
    """
)


@cache
def places() -> dict[str, tuple[str, str]]:
    """Return the places by name, English ones in lower case: the name as written, and the other."""
    found: dict[str, tuple[str, str]] = {}
    for entry in f"{_COUNTRIES} {_CHINA} {_CITIES}".split():
        english, _, chinese = entry.replace("_", " ").partition("=")
        if english:
            found[english.lower()] = (english, chinese)
        if chinese:
            found[chinese] = (chinese, english)
    for name in UNSURE_PLACES:
        found.setdefault(name, (name.title(), ""))
    return found
